import { kinguinDriver } from './kinguin_driver.ts'
import { describeService } from './service.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(kinguinDriver)
describeService(kinguinDriver)
