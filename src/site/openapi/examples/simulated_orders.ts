import { deadEvent } from './deliveries.ts'
import { answer, named } from './named.ts'
import { completedOrder, order } from './order.ts'

export const simulatedCode = 'sim_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60'

const own = {
  code: simulatedCode,
  orderCode: simulatedCode,
  paymentCode: 'sim_pay_3b9e0f5d7c1a48e2b6d0f9a8c7e5d4b3',
  orders: [{ code: simulatedCode, total: order.totalAmount, itemCount: order.items.length }],
  simulated: true,
}

export const simulatedOrders = {
  processing: named('Under way', answer({ ...order, ...own })),
  completed: named(
    'Delivered, and told',
    answer({
      ...completedOrder,
      ...own,
      deliveries: { ...deadEvent, state: 'delivered', lastStatus: 200, lastError: null },
    }),
  ),
}
