import { bambooDriver } from './bamboo_driver.ts'
import { describeService } from './service.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(bambooDriver)
describeService(bambooDriver)
