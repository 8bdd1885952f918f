// A shop (ARE's ShoppingApp and its class Shopping): a catalogue that others change, the user's cart, and orders with discounts.
import { AppBase } from '../../app.ts';
import { PythonError, valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { isoFormat } from '../support/clock.ts';
import { asDict, copyOf } from '../support/state.ts';
import { CANCELLABLE, STATUSES } from './shop.ts';
import { orderValue, productValue, Store } from './store.ts';

export class ShoppingApp extends AppBase {
  readonly tools: readonly Tool[] = TOOLS;
  store = new Store();

  constructor(name?: string, className = 'ShoppingApp') {
    super(className, name);
  }

  getState(): Values {
    return this.store.state();
  }

  loadState(state: Values): void {
    this.store.load(state);
  }

  reset(): void {
    this.store = new Store();
  }
}

const PRODUCT = { product_id: { type: 'str', about: 'Id of the product.' } } as const;
const ITEM = { item_id: { type: 'str', about: 'Id of the item, a variant of a product.' } } as const;
const ORDER = { order_id: { type: 'str', about: 'Id of the order.' } } as const;
const PAGE = {
  offset: { type: 'int', default: 0, about: 'How many products to skip.' },
  limit: { type: 'int', default: 10, about: 'How many products to return at most.' },
} as const;
const QUANTITY = { quantity: { type: 'int', default: 1, about: 'How many.' } } as const;

const tool = toolsOf<ShoppingApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'add_product',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: { name: { type: 'str', about: 'Name of the product.' } },
    about: 'Adds a product without any items and returns its id.',
    run: ({ store, draws }, { name }) => {
      const product_id = draws.id();
      store.products.set(product_id, { name, product_id, variants: new Map() });
      return product_id;
    },
  }),
  tool({
    name: 'add_item_to_product',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      ...PRODUCT,
      price: { type: 'float', about: 'Price of the item.' },
      options: { type: 'dict[str, Any]', default: {}, about: 'What sets the item apart, such as its colour.' },
      available: { type: 'bool', default: true, about: 'Whether it can be bought.' },
    },
    about: 'Adds an item to a product and returns its id.',
    run: ({ store, draws }, { product_id, price, options, available }) => {
      const item_id = draws.id();
      store.product(product_id).variants.set(item_id, { item_id, price, options: copyOf({ ...options }), available });
      return item_id;
    },
  }),
  tool({
    name: 'update_item',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      ...ITEM,
      new_price: { type: 'float | None', default: null, about: 'New price.' },
      new_availability: { type: 'bool | None', default: null, about: 'Whether it can be bought from now on.' },
    },
    about: 'Changes price or availability of an item.',
    run: ({ store }, { item_id, new_price, new_availability }) => {
      if (new_price === null && new_availability === null) throw valueError('No update provided');
      const item = store.item(item_id);
      if (!item) throw valueError(`Item with id ${item_id} does not exist`);
      item.price = new_price ?? item.price;
      item.available = new_availability ?? item.available;
      return item_id;
    },
  }),
  tool({
    name: 'add_discount_code',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: { ...ITEM, discount_code: { type: 'dict[str, float]', about: 'Percent off by code.' } },
    about: 'Adds discount codes to an item.',
    run: ({ store }, { item_id, discount_code }) => {
      if (!store.item(item_id)) throw valueError(`Item ${item_id} does not exist in the inventory.`);
      const codes = store.discounts.get(item_id) ?? new Map<string, number>();
      for (const [code, percent] of Object.entries(discount_code)) codes.set(code, percent);
      store.discounts.set(item_id, codes);
      return 'Successfully added the discount code';
    },
  }),
  tool({
    name: 'add_order',
    roles: ['data'],
    operation: null,
    returns: 'str',
    params: {
      ...ORDER,
      order_status: { type: 'str', about: 'Status of the order.' },
      order_date: { type: 'float', about: 'When it was made, in seconds since 1970.' },
      order_total: { type: 'float', about: 'What it cost.' },
      item_id: { type: 'str', about: 'The item that was bought.' },
      quantity: { type: 'int', about: 'How many.' },
    },
    about: 'Adds an order of one item. It fails for each item that exists, as in the reference.',
    // The reference passes the product's name to its cart item, which does not accept one, so the call fails.
    run: ({ store }, { item_id }) => {
      if (!store.item(item_id)) throw valueError('Item does not exist');
      throw new PythonError('TypeError', "CartItem.__init__() got an unexpected keyword argument 'name'");
    },
  }),
  tool({
    name: 'list_all_products',
    roles: ['agent', 'data'],
    operation: 'READ',
    isUnchecked: true,
    returns: 'ProductListResult',
    params: PAGE,
    about: 'Lists products and their ids by name, with the range shown and the total.',
    run: ({ store }, { offset, limit }) => store.page(offset, limit),
  }),
  tool({
    name: 'get_product_details',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'Product',
    params: PRODUCT,
    about: 'Everything about one product, its items with prices too.',
    run: ({ store }, { product_id }) => productValue(store.product(product_id)),
  }),
  tool({
    name: 'search_product',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'list[Product]',
    params: { product_name: { type: 'str', about: 'A part of the name.' }, ...PAGE },
    about: 'Finds products by a part of their name, whatever the case.',
    run: ({ store }, { product_name, offset, limit }) => store.search(product_name, offset, limit),
  }),
  tool({
    name: 'add_to_cart',
    operation: 'WRITE',
    returns: 'str',
    params: { ...ITEM, ...QUANTITY },
    about: 'Puts an item into the cart.',
    run: ({ store }, { item_id, quantity }) => {
      store.addToCart(item_id, quantity);
      return item_id;
    },
  }),
  tool({
    name: 'remove_from_cart',
    operation: 'WRITE',
    returns: 'str',
    params: { ...ITEM, ...QUANTITY },
    about: 'Takes an item from the cart.',
    run: ({ store }, { item_id, quantity }) => {
      store.removeFromCart(item_id, quantity);
      return item_id;
    },
  }),
  tool({
    name: 'list_cart',
    operation: 'READ',
    isUnchecked: true,
    returns: 'dict[str, Any]',
    params: {},
    about: 'Lists what is in the cart.',
    run: ({ store }) => asDict(store.cart, copyOf),
  }),
  tool({
    name: 'checkout',
    operation: 'WRITE',
    isUnchecked: true,
    returns: 'str',
    params: {
      discount_code: { type: 'str | None', default: null, about: 'A discount code; it must hold for every item.' },
    },
    about:
      'Orders what is in the cart and returns the id of the order. A discount code that does not hold for every item in the cart fails.',
    run: ({ store, draws, world }, { discount_code }) => {
      store.total(discount_code);
      const orderId = draws.id();
      store.checkout(orderId, isoFormat(world.now()), discount_code);
      return orderId;
    },
  }),
  tool({
    name: 'get_discount_code_info',
    operation: 'READ',
    isUnchecked: true,
    returns: 'dict[str, float]',
    params: { discount_code: { type: 'str', default: '', about: 'The code.' } },
    about: 'The items that a discount code holds for, with percent off.',
    run: ({ store }, { discount_code }) =>
      Object.fromEntries(
        [...store.discounts].flatMap(([item, codes]) => {
          const percent = codes.get(discount_code);
          return percent === undefined ? [] : [[item, percent]];
        }),
      ),
  }),
  tool({
    name: 'get_all_discount_codes',
    roles: ['agent', 'data'],
    operation: null,
    isUnchecked: true,
    returns: 'dict[str, list[str]]',
    params: {},
    about: 'All discount codes with the items that they hold for.',
    run: ({ store }) => {
      const items = new Map<string, string[]>();
      for (const [item, codes] of store.discounts)
        for (const code of codes.keys()) items.set(code, [...(items.get(code) ?? []), item]);
      return Object.fromEntries(items);
    },
  }),
  tool({
    name: 'list_orders',
    operation: 'READ',
    isUnchecked: true,
    returns: 'dict[str, Order]',
    params: {},
    about: 'Lists all orders.',
    run: ({ store }) => asDict(store.orders, orderValue),
  }),
  tool({
    name: 'get_order_details',
    operation: 'READ',
    returns: 'Order',
    params: ORDER,
    about: 'Everything about one order.',
    run: ({ store }, { order_id }) => orderValue(store.order(order_id)),
  }),
  tool({
    name: 'update_order_status',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'NoneType',
    params: {
      ...ORDER,
      status: { type: 'str', default: 'shipped', about: 'processed, shipped, delivered or cancelled.' },
    },
    about: 'Changes the status of an order.',
    run: ({ store }, { order_id, status }) => {
      const order = store.order(order_id);
      if (!STATUSES.includes(status)) throw valueError('Invalid status');
      order.order_status = status;
      return null;
    },
  }),
  tool({
    name: 'cancel_order',
    roles: ['agent', 'env'],
    operation: 'WRITE',
    returns: 'str',
    params: ORDER,
    about: 'Cancels an order that has not been delivered.',
    run: ({ store }, { order_id }) => {
      const order = store.order(order_id);
      if (!CANCELLABLE.includes(order.order_status))
        throw valueError(`Order ${order_id} cannot be cancelled, current status: ${order.order_status}`);
      order.order_status = 'cancelled';
      return order_id;
    },
  }),
];
