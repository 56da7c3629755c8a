import type { JsonSchema } from '@valibot/to-json-schema'
import type { Parameter, Reference } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import { idOf, type SecurityScheme } from './api_document.ts'
import { code, prose } from './html.ts'
import { isSchema, limitsOf, type ReadSchema, readSchema, type Schemas, typeOf } from './schema_words.ts'

/** The id of the page's element that contains the fields, and which of them are marked. */
type Place = { id: string; noted: Noted }
/** Requests mark the required fields, answers the optional ones. */
export type Noted = 'required' | 'optional'
type Field = { name: string; required: boolean; description?: string | undefined; example?: unknown; read: ReadSchema }

/** The fields of a body, with all levels open. The ids of the fields begin with `id`. */
export function bodyFields(
  schemas: Schemas,
  id: string,
  schema: JsonSchema | Reference,
  noted: Noted = 'optional',
): string {
  return contents(schemas, readSchema(schemas, schema), { id, noted })
}

/** The parameters of one place, or headers. */
export function parameterFields(
  schemas: Schemas,
  id: string,
  parameters: Parameter[],
  noted: Noted = 'required',
): string {
  const fields = parameters.map(({ name, required = false, description, example, schema }) => {
    const read = readSchema(schemas, schema)
    return { name, required, description: description ?? read.schema.description, example, read }
  })
  return list(fields.map((field) => fieldItem(schemas, field, { id, noted })))
}

/** How a request proves its sender, as a list entry. */
export function schemeField(scheme: SecurityScheme, required = false): string {
  const [name, place] = scheme.type === 'apiKey' ? [scheme.name, scheme.in] : ['Authorization: Basic', 'header']
  return `<li class="field"><p class="field-head"><span class="field-name">${escapeHtml(name)}</span> <span
class="type">${place}</span>${mark(required, 'required')}</p>${prose(scheme.description)}</li>`
}

/** The fields of a schema, of its entries, or of each of its variants. */
function contents(schemas: Schemas, read: ReadSchema, place: Place): string {
  const { schema, variants } = read
  const parts = [fieldsOf(schemas, schema, place)]
  if (isSchema(schema.items)) parts.push(contents(schemas, readSchema(schemas, schema.items), place))
  if (isSchema(schema.additionalProperties)) parts.push(otherKeys(schemas, schema, place))
  parts.push(choices(schemas, variants, place))
  return parts.join('')
}

function fieldsOf(schemas: Schemas, { properties = {}, required = [] }: JsonSchema, place: Place): string {
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    if (!isSchema(property)) return []
    const read = readSchema(schemas, property)
    return [{ name, required: required.includes(name), description: read.schema.description, read }]
  })
  return list(fields.map((field) => fieldItem(schemas, field, place)))
}

function fieldItem(schemas: Schemas, field: Field, place: Place): string {
  const { name, required, description, example, read } = field
  const id = `${place.id}-${idOf(name)}`
  const examples = example === undefined ? read.schema.examples : [example as string]
  const limits = limitsOf({ ...read.schema, ...(examples === undefined ? {} : { examples }) }, code)
  const inside = isSchema(read.schema.items) ? itemLimits(schemas, read.schema.items) : []
  return `<li class="field" id="${id}">
<p class="field-head"><a class="field-name" href="#${id}">${escapeHtml(name)}</a> <span
class="type">${escapeHtml(typeOf(schemas, read))}</span>${mark(required, place.noted)}</p>
${prose(description)}${limitLine([...limits, ...inside])}${contents(schemas, read, { ...place, id })}</li>`
}

function mark(required: boolean, noted: Noted): string {
  if (required !== (noted === 'required')) return ''
  return ` <span class="${noted}">${noted}</span>`
}

// Entries without fields have no other place for their limits.
function itemLimits(schemas: Schemas, items: JsonSchema): string[] {
  const { schema } = readSchema(schemas, items)
  if (schema.properties !== undefined) return []
  return limitsOf(schema, code).map((limit) => `each ${limit}`)
}

function otherKeys(schemas: Schemas, { propertyNames, additionalProperties }: JsonSchema, place: Place): string {
  if (!isSchema(additionalProperties)) return ''
  const read = readSchema(schemas, additionalProperties)
  const names = isSchema(propertyNames) ? limitsOf(propertyNames, code) : []
  const limits = [...names.map((limit) => `key: ${limit}`), ...valueLimits(schemas, read)]
  return `<ul class="fields"><li class="field">
<p class="field-head"><span class="field-name">any key</span> <span
class="type">${escapeHtml(typeOf(schemas, read))}</span></p>
${limitLine(limits)}${contents(schemas, { ...read, variants: [] }, place)}</li></ul>`
}

function valueLimits(schemas: Schemas, { schema, variants }: ReadSchema): string[] {
  const all = variants.length === 0 ? [schema] : variants.map((variant) => readSchema(schemas, variant).schema)
  return all.flatMap((one) => limitsOf(one, code).map((limit) => `${String(one.type)}: ${limit}`))
}

function choices(schemas: Schemas, variants: (JsonSchema | Reference)[], place: Place): string {
  const shown = variants
    .map((variant, index) => {
      const at = { ...place, id: `${place.id}-${index + 1}` }
      return contents(schemas, readSchema(schemas, variant), at)
    })
    .filter((html) => html !== '')
  return shown.map((html, index) => `<p class="choice">${index === 0 ? 'Either' : 'Or'}</p>${html}`).join('')
}

function limitLine(limits: string[]): string {
  return limits.length === 0 ? '' : `<p class="limits">${limits.join(' · ')}</p>`
}

function list(items: string[]): string {
  return items.length === 0 ? '' : `<ul class="fields">${items.join('\n')}</ul>`
}
