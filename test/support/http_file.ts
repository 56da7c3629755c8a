/** A request of a `.http` file. Its parts still hold `{{variables}}`. */
export type FileRequest = {
  title: string
  /** What later requests call its answer by. */
  name: string | undefined
  status: number
  /** The code of the error that is expected. */
  code: string | undefined
  /** Whether it may be answered otherwise at first. */
  inTheEnd: boolean
  method: string
  url: string
  headers: { [name: string]: string }
  body: string | undefined
}

export type HttpFile = { variables: Map<string, string>; requests: FileRequest[] }

/**
 * Reads a `.http` file as the REST Client of Visual Studio Code does, as far as ours goes: variables, `###` between
 * requests, comments, a request line, headers, an empty line, a body. Throws for what it does not understand, and for a
 * request that does not say what is expected.
 */
export function parseHttpFile(text: string): HttpFile {
  const [head = '', ...blocks] = text.split(/^###/m)
  const variables = head.split('\n').flatMap((line) => {
    const [, name, value] = /^@(\w+) = (.*)$/.exec(line) ?? []
    if (name === undefined && line !== '' && !line.startsWith('#')) throw new Error(`what is ${line}?`)
    return name === undefined ? [] : [[name, value ?? ''] as const]
  })
  return { variables: new Map(variables), requests: blocks.map(parseRequest) }
}

function parseRequest(block: string): FileRequest {
  const lines = block.split('\n')
  const title = lines.shift()?.trim() ?? ''
  const start = lines.findIndex((line) => line !== '' && !line.startsWith('#'))
  const comments = lines.slice(0, start).join('\n')
  const [, method = '', url = ''] = /^([A-Z]+) (\S+)$/.exec(lines[start] ?? '') ?? []
  const [, status, code, once] = /^# Expect: (\d{3})(?: ([A-Z_]+))?(?:, (once .*))?$/m.exec(comments) ?? []
  if (method === '' || status === undefined) throw new Error(`no request, or nothing expected: ${title}`)
  const rest = lines.slice(start + 1)
  const empty = rest.indexOf('')
  const headers = rest.slice(0, empty < 0 ? undefined : empty).map((line) => {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`what is ${line}?`)
    return [name.toLowerCase(), value]
  })
  const body = empty < 0 ? '' : rest.slice(empty).join('\n').trim()
  return {
    ...{ title, name: /^# @name (\w+)$/m.exec(comments)?.[1], status: Number(status), code, method, url },
    inTheEnd: once !== undefined,
    ...{ headers: Object.fromEntries(headers), body: body === '' ? undefined : body },
  }
}

/**
 * Fills in `{{variable}}`, which may hold others, and `{{name.response.body.$.path}}` from the answers so far. Throws for
 * what is not known.
 */
export function fill(text: string, variables: Map<string, string>, answers: Map<string, unknown>): string {
  return text.replaceAll(/\{\{([\w.$]+)\}\}/g, (_whole, reference: string) => {
    const value = variables.get(reference)
    if (value !== undefined) return fill(value, variables, answers)
    const [name = '', path] = reference.split('.response.body.$.')
    const found = path?.split('.').reduce<unknown>((part, field) => Object(part)[field], answers.get(name))
    if (typeof found !== 'string') throw new Error(`nothing is known of ${reference}`)
    return found
  })
}
