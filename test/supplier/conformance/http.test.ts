import { httpDriver } from './http_driver.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(httpDriver)
