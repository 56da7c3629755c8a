import { digiflazzDriver } from './digiflazz_driver.ts'
import { describeService } from './service.ts'
import { describeAdapter } from './suite.ts'

describeAdapter(digiflazzDriver)
describeService(digiflazzDriver)
