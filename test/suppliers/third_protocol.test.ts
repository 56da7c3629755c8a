import { describeService } from './conformance/service.ts'
import { describeAdapter } from './conformance/suite.ts'
import { vouchersDriver } from './vouchers/driver.ts'

// A protocol that was added by docs/suppliers.md alone: an adapter, its driver, and this row.
const row = `
  insert into supply.protocols (name, repeat_safe_for, finds_by_reference, pushes, lists_offers, requests_per_call)
  values ('vouchers', '0', true, null, false, 2)`

describeAdapter(vouchersDriver)
describeService(vouchersDriver, row)
