/** The behaviour of the simulator for an order. The last two digits of the player id choose it. */
export type Behaviour = 'completes' | 'refuses' | 'fails' | 'partial' | 'stumbles' | 'slow' | 'silent' | 'loses_answer'

/** The end of an order without the codes themselves: `codes` is their number. */
export type SimulatedEnd = {
  status: 'completed' | 'failed'
  codes: number
  errorCode: string | null
  reason: string | null
}

/** What was ordered, as far as it names the player. */
type ForPlayer = { deliveryData: Record<string, unknown> }

/**
 * The player ids that make an order go some way: by their last digits, the simulator's behaviour, after how many
 * seconds a simulated order then ends (null: never), and what partners learn about that. All other ids complete.
 */
export const magicPlayerIds = [
  { digits: '00', behaviour: 'refuses', seconds: 0, what: 'fails at once, with a reason' },
  { digits: '01', behaviour: 'fails', seconds: 5, what: 'fails after 5 seconds, with a reason' },
  {
    digits: '02',
    behaviour: 'partial',
    seconds: 2,
    what: 'after 2 seconds, half of the keys is delivered, rounded down, and the rest fails; a top-up fails',
  },
  { digits: '03', behaviour: 'stumbles', seconds: 5, what: 'completes after 5 seconds, past two errors' },
  { digits: '04', behaviour: 'slow', seconds: 60, what: 'completes after 60 seconds' },
  { digits: '05', behaviour: 'silent', seconds: null, what: 'stays `processing`' },
  {
    digits: '06',
    behaviour: 'loses_answer',
    seconds: 31,
    what: 'completes after 31 seconds: the first answer is lost',
  },
] as const satisfies { digits: string; behaviour: Behaviour; seconds: number | null; what: string }[]

/** The scenario of all other player ids. */
export const otherPlayerIds = { seconds: 2, what: 'completes after 2 seconds' }

const playerNotFound = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
const failure = {
  status: 'failed',
  errorCode: 'SUPPLIER_ERROR',
  reason: 'Поставщик не смог выполнить заказ. Средства возвращены на баланс.',
} as const
const soldOut = 'Товар закончился: доставлена только часть заказа.'

/** The behaviour for an order: by the last two digits of `deliveryData.gameUserId`, `completes` without them. */
export function behaviourFor(order: ForPlayer): Behaviour {
  return magicOf(order)?.behaviour ?? 'completes'
}

/** After how many seconds a simulated order ends, in which no supplier is asked; null for never. */
export function secondsOf(order: ForPlayer): number | null {
  const magic = magicOf(order)
  return magic === undefined ? otherPlayerIds.seconds : magic.seconds
}

function magicOf({ deliveryData }: ForPlayer) {
  const digits = String(deliveryData.gameUserId ?? '').slice(-2)
  return magicPlayerIds.find((magic) => magic.digits === digits)
}

/** The end of an order, for a product that delivers codes or one that does not. */
export function endOf(behaviour: Behaviour, quantity: number, hasCodes: boolean): SimulatedEnd {
  switch (behaviour) {
    case 'refuses':
      return { status: 'failed', codes: 0, errorCode: 'PLAYER_NOT_FOUND', reason: playerNotFound }
    case 'fails':
      return { ...failure, codes: 0 }
    case 'partial': {
      const codes = hasCodes ? Math.floor(quantity / 2) : 0
      if (codes === 0) return { ...failure, codes }
      return { status: 'failed', codes, errorCode: 'OUT_OF_STOCK', reason: soldOut }
    }
    default:
      return { status: 'completed', codes: hasCodes ? quantity : 0, errorCode: null, reason: null }
  }
}
