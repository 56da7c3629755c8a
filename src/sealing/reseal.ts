import { cardOf } from '../messages/cards.ts'
import { codeInJson, isSealed, owners, type Sealing } from './sealing.ts'

/** Texts of one row as they are stored, not all of them sealed under the first data key. */
export type StoredTexts = { kind: string; id: string; item_id?: string | null; texts: readonly string[] }

/** The texts of a row, and what is to be stored in their place. */
export type TextChange = { kind: string; id: string; old: readonly string[]; new: string[] }

/** Rows that hold codes, each sealed for its `item_id`. */
const codeKinds = ['item', 'attempt', 'replaced', 'stock', 'line']

/** The texts of one order, and secrets and tokens, sealed under the first key. Throws Unreadable. */
export function resealed(rows: readonly StoredTexts[], sealing: Sealing): TextChange[] {
  /** How an event holds each code of the order. */
  const shown = new Map<string, string>()
  const change = ({ kind, id, texts }: StoredTexts, seal: (text: string, place: number) => string): TextChange => ({
    kind,
    id,
    old: texts,
    new: texts.map((text, place) => (text.startsWith(`sealed:${sealing.keyId}:`) ? text : seal(text, place))),
  })

  function sealCodes(row: StoredTexts, itemId: string): TextChange {
    const plain = row.texts.map((text) => sealing.openCode(text, itemId))
    const codes = plain.map((text) => cardOf(text).code)
    const sealed = change(row, (_, place) => {
      const code = plain[place] ?? ''
      // An operator may have typed a code that the item had: SQL could not compare it with a sealed one.
      return codes.indexOf(codes[place] ?? '') < place && row.kind === 'item'
        ? `${sealing.seal(code, owners.item(itemId))}:${place}`
        : sealing.sealCode(code, itemId)
    })
    if (row.kind !== 'item') return sealed
    for (const [place, code] of codes.entries()) shown.set(code, shownCode(sealed.new[place] ?? '', itemId))
    return sealed
  }

  function sealEvent(body: string): string {
    return body.replaceAll(codeInJson, (member, json: string) => {
      const code: string = JSON.parse(json)
      const plain = isSealed(code) ? cardOf(sealing.openShownCode(code)).code : code
      const sealed = shown.get(plain)
      return sealed === undefined ? member : `{"code" : ${JSON.stringify(sealed)}}`
    })
  }

  const isOfItem = ({ kind }: StoredTexts) => kind === 'item'
  const changes = [...rows.filter(isOfItem), ...rows.filter((row) => !isOfItem(row))].map((row) => {
    const { kind, id, item_id: itemId } = row
    if (codeKinds.includes(kind)) return sealCodes(row, itemId ?? '')
    if (kind === 'event') return { kind, id, old: row.texts, new: row.texts.map(sealEvent) }
    const owner = ownerOf(row)
    return change(row, (text) => sealing.seal(sealing.open(text, owner), owner))
  })
  return changes.filter((changed) => changed.new.some((text, place) => text !== changed.old[place]))
}

/** How JSON holds a sealed code (`core.shown_code`). */
function shownCode(sealed: string, itemId: string): string {
  return sealed.split(':').length > 4 ? sealed : `${sealed}:${itemId}`
}

function ownerOf({ kind, id, item_id: itemId }: StoredTexts): string {
  switch (kind) {
    case 'answer':
      return owners.answer(itemId ?? '')
    case 'account':
      return owners.account(id)
    case 'token':
      return owners.token(id)
    case 'push_secret':
      return owners.pushSecret(id)
    default:
      throw new Error(`there is no text of kind ${kind}`)
  }
}
