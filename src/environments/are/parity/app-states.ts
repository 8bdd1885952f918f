// What recorded scripts of calls begin with, where it is not the empty app: recordings show it in their results alone.
import type { Values } from '../value.ts';

const item = (item_id: string, price: number, available: boolean, options: Values): Values => ({
  item_id,
  price,
  available,
  options,
});
const product = (product_id: string, name: string, ...items: readonly Values[]): Values => ({
  name,
  product_id,
  variants: Object.fromEntries(items.map((variant) => [variant.item_id as string, variant])),
});

const BEGINNINGS: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  shopping: {
    ShoppingApp: {
      products: {
        p1: product('p1', 'Red Shoes', item('i1', 50, true, { size: '6' }), item('i2', 60, false, {})),
        p2: product('p2', 'Blue Hat', item('i3', 9.5, true, {})),
      },
      cart: {},
      orders: {},
      discount_codes: { i1: { TEN: 10 } },
    },
  },
};

/** States by app, of the script of this name. */
export const beginningOf = (script: string): Readonly<Record<string, Values>> =>
  (Object.hasOwn(BEGINNINGS, script) ? BEGINNINGS[script] : undefined) ?? {};
