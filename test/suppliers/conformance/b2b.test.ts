import { b2bDriver } from './b2b_driver.ts'
import { describeService } from './service.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(b2bDriver)
describeService(b2bDriver)
