// A shop's contents and operations: finding products, filling the cart, paying. The app (app.ts) supplies ids and the time.
import { exception, keyError, valueError } from '../../python-error.ts';
import type { Value, Values } from '../../value.ts';
import { spacedIso } from '../support/clock.ts';
import { asDict, copyOf } from '../support/state.ts';
import { compareText, holds } from '../support/text.ts';
import { type CartItem, type Item, type Order, type Product, readState } from './shop.ts';

export class Store {
  products = new Map<string, Product>();
  cart = new Map<string, CartItem>();
  orders = new Map<string, Order>();
  /** Item → code → percent off. */
  discounts = new Map<string, Map<string, number>>();

  state(): Values {
    return {
      products: asDict(this.products, productValue),
      cart: asDict(this.cart, copyOf),
      discount_codes: asDict(this.discounts, (codes) => Object.fromEntries(codes)),
      orders: asDict(this.orders, (order) => ({ ...order, order_items: asDict(order.order_items, copyOf) })),
    };
  }

  load(state: Values): void {
    const { products, cart, discount_codes, orders } = readState(state, '');
    this.products = products;
    this.cart = cart;
    this.discounts = discount_codes;
    this.orders = orders;
  }

  product(id: string): Product {
    const product = this.products.get(id);
    if (!product) throw valueError('Product does not exist');
    return product;
  }

  item(id: string): Item | undefined {
    return [...this.products.values()].map(({ variants }) => variants.get(id)).find((item) => item);
  }

  order(id: string): Order {
    const order = this.orders.get(id);
    if (!order) throw valueError('Order does not exist');
    return order;
  }

  /** Name → id, sorted by name. Products of the same name share one row, that of the last, though the total counts each. */
  page(offset: number, limit: number): Value {
    const total = this.products.size;
    const rows = [...this.idsByName()].sort(([a], [b]) => compareText(a, b));
    return {
      products: Object.fromEntries(rows.slice(offset, offset + limit)),
      metadata: { range: [offset, Math.min(offset + limit, total)], total },
    };
  }

  private idsByName(): Map<string, string> {
    return new Map([...this.products.values()].map(({ name, product_id }) => [name, product_id]));
  }

  /** Products whose name contains a text. Of products with the same name the last is returned, once for each. */
  search(text: string, offset: number, limit: number): Value {
    const ids = this.idsByName();
    const found = [...this.products.values()].filter(({ name }) => holds(name, text.toLowerCase()));
    const products = found.map(({ name }) => {
      const id = ids.get(name) as string;
      const product = this.products.get(id);
      if (!product) throw keyError(id);
      return productValue(product);
    });
    return products.slice(offset, offset + limit);
  }

  addToCart(id: string, quantity: number): void {
    if (quantity <= 0) throw valueError('Quantity cannot be negative or zero');
    const item = this.item(id);
    if (!item) throw valueError('Product does not exist');
    if (!item.available) throw valueError('Product is not available');
    const inCart = this.cart.get(id);
    if (inCart) inCart.quantity += quantity;
    else this.cart.set(id, { ...copyOf(item), quantity });
  }

  removeFromCart(id: string, quantity: number): void {
    if (quantity < 0) throw valueError('Quantity cannot be negative');
    const inCart = this.cart.get(id);
    if (!inCart) throw valueError('Product not in cart');
    if (quantity > inCart.quantity) throw valueError('Quantity exceeds available quantity');
    inCart.quantity -= quantity;
    if (inCart.quantity === 0) this.cart.delete(id);
  }

  /** Price of the cart with a code, which must be valid for each item. */
  total(code: string | null): number {
    if (this.cart.size === 0) throw exception('Cart is empty');
    let total = 0;
    for (const [id, { price, quantity }] of this.cart) {
      const percent = code ? this.percentOff(id, code) : 0;
      total += price * quantity * (1 - percent / 100);
    }
    return total;
  }

  private percentOff(id: string, code: string): number {
    const codes = this.discounts.get(id);
    if (!codes) throw valueError(`There is no valid discount codes for the item with id - ${id}`);
    const percent = codes.get(code);
    if (percent === undefined) throw valueError(`The provided discount code is not valid for the item with id - ${id}`);
    return percent;
  }

  /** Turns the cart into an order. */
  checkout(orderId: string, date: string, code: string | null): void {
    const order_total = this.total(code);
    const order_items = this.cart;
    this.orders.set(orderId, {
      order_status: 'processed',
      order_date: date,
      order_total,
      order_id: orderId,
      order_items,
    });
    this.cart = new Map();
  }
}

export const productValue = (product: Product): Values => ({ ...product, variants: asDict(product.variants, copyOf) });

/** Tools show a date as Python's str() does; state files have isoformat. */
export const orderValue = (order: Order): Values => ({
  ...order,
  order_date: typeof order.order_date === 'string' ? spacedIso(order.order_date) : order.order_date,
  order_items: asDict(order.order_items, copyOf),
});
