import { createHmac } from 'node:crypto'
import { cardJson, cardOf } from '../messages/cards.ts'
import { errorCode } from '../network/error_code.ts'
import { decrypt, encrypt } from './cipher.ts'
import type { DataKey } from './data_keys.ts'

/**
 * Seals codes, secrets and tokens before they are stored, and opens them. A sealed text is `sealed:`, the id of the
 * key, `:` and the encrypted bytes in base64url. SQL handles it as an opaque text.
 */
export type Sealing = {
  /** The id of the key that seals; undefined if there are no keys: everything is stored as it is. */
  readonly keyId: string | undefined
  /**
   * Seals and stores texts. If the database refuses the key, because `npm run reseal` has closed it, it does both again
   * with the first key of DATA_KEYS that is open, which seals from then on.
   */
  store<T>(sealAndStore: () => Promise<T>): Promise<T>
  /** Seals a text. It opens only with the same `boundTo`, such as `supplier acme`. */
  seal(plain: string, boundTo: string): string
  /** Seals a code (`cardText`) of an item. Behind it stands a fingerprint, by which SQL compares codes. */
  sealCode(code: string, itemId: string): string
  /** Seals codes of an item; other work passes meanwhile. */
  sealCodes(codes: readonly string[], itemId: string): Promise<string[]>
  /** Opens a sealed text; one that is not sealed stays as it is. Throws Unreadable. */
  open(text: string, boundTo: string): string
  openCode(code: string, itemId: string): string
  /** Opens a sealed code that has the id of its item behind it (`core.shown_code`). */
  openShownCode(code: string): string
  /** Opens the codes in the JSON of an order or an event; other work passes meanwhile. Rejects with Unreadable. */
  openCodes(json: string): Promise<string>
}

/** A sealed text does not open with the keys of this process. The message names what it is bound to. */
export class Unreadable extends Error {
  override name = 'Unreadable'
  readonly boundTo: string

  constructor(boundTo: string) {
    super(`what is sealed for ${boundTo} does not open with DATA_KEYS`)
    this.boundTo = boundTo
  }
}

/**
 * A code with its parts in JSON as PostgreSQL writes it. A partner cannot forge one: its first quote stands outside
 * every string, and only core.card_json writes objects of `code` and its parts alone.
 */
export const codeInJson = /\{"code" : ("(?:[^"\\]|\\.)*")(?:, "(?:pin|serial|url|expiresAt)" : "(?:[^"\\]|\\.)*")*\}/g

// Sealing or opening so many codes takes half a millisecond. The codes of one order must not delay other requests.
const sliceCodes = 25
// The codes of longer texts are opened one text after the other.
const largeText = 65_536
const othersPass = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A sealed text opens only with the owner that it was sealed for. */
export const owners = {
  item: (itemId: string) => `item ${itemId}`,
  /** The quoted part of a supplier's answer about an item. */
  answer: (itemId: string) => `answer about ${itemId}`,
  account: (accountId: string | number) => `account ${accountId}`,
  token: (supplier: string) => `supplier ${supplier}`,
  pushSecret: (supplier: string) => `events of supplier ${supplier}`,
}

/** The ids of the open keys, if the database refused a text because its data key is closed; else none. */
export function openKeys(error: unknown): string[] {
  return errorCode(error) === 'KYCLS' ? String(Object(error).detail).split(',') : []
}

/** Whether a text is sealed. */
export const isSealed = (text: string): boolean => text.startsWith('sealed:')

/** The sealing of a process without data keys: it seals nothing. */
export const noSealing: Sealing = createSealing([], '')

/**
 * The sealing with these keys: the first one seals (but see `store`), and without any, nothing is sealed.
 * `fingerprintKey` is the same in all processes on a database, also after a rotation.
 * `onUnreadable` receives what a text is bound to that does not open.
 */
export function createSealing(
  keys: readonly DataKey[],
  fingerprintKey: string,
  onUnreadable: (boundTo: string) => void = () => {},
): Sealing {
  let [first] = keys
  let largeOpened: Promise<unknown> = Promise.resolve()

  function seal(plain: string, boundTo: string): string {
    return first === undefined ? plain : sealUnder(first, plain, boundTo)
  }

  function open(text: string, boundTo: string): string {
    if (!isSealed(text)) return text
    const plain = openWithAny(keys, text, boundTo)
    if (plain !== undefined) return plain
    onUnreadable(boundTo)
    throw new Unreadable(boundTo)
  }

  // Behind the fingerprint stands what a code was sealed for, where that is not its item: it was sealed in stock.
  const openCode = (code: string, itemId: string) => open(code, owners.item(code.split(':')[4] ?? itemId))
  const openShownCode = (code: string) => openCode(code, '')

  function sealCode(code: string, itemId: string): string {
    if (first === undefined) return code
    const fingerprint = createHmac('sha256', fingerprintKey).update(cardOf(code).code).digest().subarray(0, 16)
    return `${seal(code, owners.item(itemId))}:${fingerprint.toString('base64url')}`
  }

  async function openAll(json: string): Promise<string> {
    const parts: string[] = []
    let from = 0
    let codes = 0
    for (const { 0: member, 1: text = '', index } of json.matchAll(codeInJson)) {
      codes += 1
      if (codes % sliceCodes === 0) await othersPass()
      const code: string = JSON.parse(text)
      const shown = isSealed(code) ? cardJson(openShownCode(code)) : member
      parts.push(json.slice(from, index), shown)
      from = index + member.length
    }
    return parts.join('') + json.slice(from)
  }

  async function store<T>(sealAndStore: () => Promise<T>, tries = keys.length): Promise<T> {
    try {
      return await sealAndStore()
    } catch (error) {
      const open = openKeys(error)
      const next = keys.find(({ id }) => open.includes(id))
      if (next === undefined || tries === 0) throw error
      first = next
      return store(sealAndStore, tries - 1)
    }
  }

  return {
    get keyId() {
      return first?.id
    },
    store,
    seal,
    sealCode,
    sealCodes: async (codes, itemId) => {
      const sealed: string[] = []
      for (const code of codes) {
        if (sealed.length % sliceCodes === sliceCodes - 1) await othersPass()
        sealed.push(sealCode(code, itemId))
      }
      return sealed
    },
    open,
    openCode,
    openShownCode,
    openCodes: async (json) => {
      if (!json.includes('{"code" : "sealed:')) return json
      if (json.length <= largeText) return openAll(json)
      // Each text under way adds a slice to every turn of the event loop.
      const opening = largeOpened.then(() => openAll(json))
      largeOpened = opening.catch(() => {})
      return opening
    },
  }
}

/** Seals a text under one key. */
export function sealUnder({ id, key }: DataKey, plain: string, boundTo: string): string {
  return `sealed:${id}:${encrypt(key, plain, boundTo).toString('base64url')}`
}

/** Opens a sealed text with the key under which it was sealed; undefined if none of the keys opens it. */
export function openWithAny(keys: readonly DataKey[], text: string, boundTo: string): string | undefined {
  for (const key of keys) {
    const plain = openUnder(key, text, boundTo)
    if (plain !== undefined) return plain
  }
  return undefined
}

/** Opens a sealed text; undefined if it was sealed under another key, or bound to something else. */
export function openUnder({ id, key }: DataKey, text: string, boundTo: string): string | undefined {
  const [, keyId, encrypted] = text.split(':')
  if (keyId !== id || encrypted === undefined) return undefined
  return decrypt(key, Buffer.from(encrypted, 'base64url'), boundTo)
}
