import type { HostRules } from '../../src/suppliers/supplier_hosts.ts'

type Rules = HostRules & { supplierCredential: (text: string) => string | undefined }

/** The settings of suppliers' credentials: no host is named, and it is no production, unless the test says otherwise. */
export const credentialRules = (
  supplierCredential: Rules['supplierCredential'],
  rules: Partial<HostRules> = {},
): Rules => ({ supplierCredential, supplierHosts: () => undefined, production: false, ...rules })
