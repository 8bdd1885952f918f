// Contents of a shop in the format of state files: products with variants, the cart, orders.

import type { Value } from '../../value.ts';
import { any, bool, dict, num, type Reader, record, str, text, withDefault } from '../support/state.ts';

type Options = Record<string, Value>;

/** A variant of a product, which can be bought. */
export type Item = { price: number; available: boolean; item_id: string; options: Options };
export type Product = { name: string; product_id: string; variants: Map<string, Item> };
/** Price and options are those at which the item went into the cart. */
export type CartItem = { item_id: string; quantity: number; price: number; available: boolean; options: Options };
export type Order = {
  order_status: string;
  /** A date in ISO 8601; a file may contain anything else. */
  order_date: Value;
  order_total: number;
  order_id: string;
  order_items: Map<string, CartItem>;
};

export const STATUSES: readonly string[] = ['processed', 'shipped', 'delivered', 'cancelled'];
export const CANCELLABLE: readonly string[] = ['processed', 'shipped'];

const options: Reader<Options> = (value, at) => Object.fromEntries(dict(any)(value, at));

const readItem = record({ price: num, available: bool, item_id: str, options });
const readCartItem = record({
  item_id: str,
  quantity: num,
  price: num,
  available: withDefault(bool, true),
  options: withDefault(options, {}),
});

export const readState = record({
  products: dict(record({ name: text, product_id: str, variants: dict(readItem) })),
  cart: dict(readCartItem),
  discount_codes: dict(dict(num)),
  orders: dict(
    record({ order_status: str, order_date: any, order_total: num, order_id: str, order_items: dict(readCartItem) }),
  ),
});
