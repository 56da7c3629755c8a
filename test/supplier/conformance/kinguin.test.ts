import { kinguinDriver } from './kinguin_driver.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(kinguinDriver)
