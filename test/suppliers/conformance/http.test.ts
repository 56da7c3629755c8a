import { httpDriver } from './http_driver.ts'
import { describeService } from './service.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(httpDriver)
describeService(httpDriver)
