// Tests shop, flats, cabs and city: rules that the recorded scripts do not cover.
import { describe, expect, it } from 'vitest';
import { type Args, Float } from '../value.ts';
import { ApartmentListingApp } from './apartments/app.ts';
import { cabApp } from './cab/tools.ts';
import { CityApp } from './city.ts';
import { ShoppingApp } from './shopping/app.ts';
import { Phone } from './testing/phone.ts';

describe('the shop', () => {
  const shop = () => {
    const phone = new Phone(1, new ShoppingApp('Shop'));
    const item = (name: string, price: number) => {
      const product_id = phone.id('Shop.add_product', { name });
      return phone.id('Shop.add_item_to_product', { product_id, price: new Float(price) });
    };
    return { phone, item };
  };

  it('charges the price at which an item went into the cart', () => {
    const { phone, item } = shop();
    const item_id = item('Cup', 10);
    phone.call('Shop.add_to_cart', { item_id, quantity: 2 });
    phone.call('Shop.update_item', { item_id, new_price: new Float(99), new_availability: false });
    expect(phone.raised('Shop.add_to_cart', { item_id })).toBe('ValueError: Product is not available');
    const order_id = phone.id('Shop.checkout');
    expect(phone.record('Shop.get_order_details', { order_id }).order_total).toBe(20);
    expect(phone.call('Shop.list_cart')).toEqual({});
  });

  it('accepts a code for the whole cart or not at all', () => {
    const { phone, item } = shop();
    const [cup, hat] = [item('Cup', 10), item('Hat', 30)];
    phone.call('Shop.add_discount_code', { item_id: cup, discount_code: { TEN: 10.5 } });
    for (const item_id of [cup, hat]) phone.call('Shop.add_to_cart', { item_id });
    expect(phone.raised('Shop.checkout', { discount_code: 'TEN' })).toBe(
      `ValueError: There is no valid discount codes for the item with id - ${hat}`,
    );
    expect(Object.keys(phone.record('Shop.list_cart'))).toEqual([cup, hat]);
    phone.call('Shop.add_discount_code', { item_id: hat, discount_code: { TEN: 50.5 } });
    const order_id = phone.id('Shop.checkout', { discount_code: 'TEN' });
    expect(phone.record('Shop.get_order_details', { order_id }).order_total).toBeCloseTo(8.95 + 14.85, 9);
  });

  it('lists one row for products of the same name, and finds the last of them twice', () => {
    const { phone } = shop();
    const [, second] = ['Cup', 'Cup', 'Bowl'].map((name) => phone.id('Shop.add_product', { name }));
    const { products, metadata } = phone.record('Shop.list_all_products');
    expect(Object.keys(products as object)).toEqual(['Bowl', 'Cup']);
    expect(metadata).toEqual({ range: [0, 3], total: 3 });
    const found = phone.call('Shop.search_product', { product_name: 'cUp' }) as { product_id: string }[];
    expect(found.map(({ product_id }) => product_id)).toEqual([second, second]);
    expect(phone.call('Shop.search_product', { product_name: 'cup', offset: 1, limit: 5 })).toHaveLength(1);
  });

  it('cancels a processed order, and not a delivered one', () => {
    const { phone, item } = shop();
    phone.call('Shop.add_to_cart', { item_id: item('Cup', 1) });
    const order_id = phone.id('Shop.checkout');
    phone.call('Shop.update_order_status', { order_id, status: 'delivered' });
    expect(phone.raised('Shop.cancel_order', { order_id })).toBe(
      `ValueError: Order ${order_id} cannot be cancelled, current status: delivered`,
    );
    phone.call('Shop.update_order_status', { order_id });
    expect(phone.call('Shop.cancel_order', { order_id })).toBe(order_id);
  });

  it('logs no event for a look at all codes', () => {
    const { phone } = shop();
    phone.call('Shop.get_all_discount_codes');
    expect(phone.log).toEqual([]);
  });

  it('keeps its state through a file, including dates', () => {
    const { phone, item } = shop();
    phone.now += 0.25;
    phone.call('Shop.add_to_cart', { item_id: item('Cup', 1) });
    const order_id = phone.id('Shop.checkout');
    const state = phone.app('Shop').getState();
    const again = new ShoppingApp('Shop');
    again.loadState(JSON.parse(JSON.stringify(state)));
    expect(again.getState()).toEqual(state);
    expect((state as { orders: Record<string, { order_date: string }> }).orders[order_id]?.order_date).toBe(
      '2024-10-15T07:00:00.250000+00:00',
    );
  });
});

describe('flats', () => {
  const flats = () => {
    const phone = new Phone(1, new ApartmentListingApp('Flats', 'RentAFlat'));
    const add = (name: string, more: Args = {}) =>
      phone.id('Flats.add_new_apartment', {
        name,
        location: 'Old Town',
        zip_code: '1',
        price: 800.5,
        number_of_bedrooms: 2,
        number_of_bathrooms: 1,
        square_footage: 500,
        ...more,
      });
    const search = (filters: Args) =>
      Object.values(phone.record('Flats.search_apartments', filters)).map((flat) => (flat as { name: string }).name);
    return { phone, add, search };
  };

  it('are found by all filters together', () => {
    const { add, search } = flats();
    add('Big', { square_footage: 900, amenities: ['Gym', 'Pool'] });
    add('Small', { square_footage: 300, property_type: 'Condo' });
    expect([
      search({ square_footage: 400 }),
      search({ amenities: ['pool', 'GYM'] }),
      search({ property_type: 'condo' }),
      search({ location: 'old', name: 'ma' }),
      search({ min_price: 800, max_price: 801, zip_code: '1' }),
      search({ amenities: ['pool'], property_type: 'condo' }),
    ]).toEqual([['Big'], ['Big'], ['Small'], ['Small'], ['Big', 'Small'], []]);
  });

  it('pass a filter on a missing field, and pass empty filters', () => {
    const { add, search } = flats();
    add('Silent');
    add('Pets', { pet_policy: 'Pets allowed', floor_level: 'Penthouse' });
    expect([search({ pet_policy: 'no pets' }), search({ floor_level: 'Basement' })]).toEqual([['Silent'], []]);
    expect(search({ min_price: 0, number_of_bedrooms: 0, name: '' })).toEqual(['Silent', 'Pets']);
  });

  it('are saved once, by a tool that tells the agent more than it returns', () => {
    const { phone, add, search } = flats();
    const apartment_id = add('One');
    add('Two');
    expect(phone.call('Flats.save_apartment', { apartment_id })).toBeNull();
    phone.call('Flats.save_apartment', { apartment_id });
    expect(phone.app('Flats').tool('save_apartment')?.tells?.(null)).toBe('Successfully saved apartment');
    expect([Object.keys(phone.record('Flats.list_saved_apartments')), search({ saved_only: true })]).toEqual([
      [apartment_id],
      ['One'],
    ]);
    phone.call('Flats.delete_apartment', { apartment_id });
    expect(phone.raised('Flats.list_saved_apartments')).toBe(`KeyError: '${apartment_id}'`);
  });

  it('require a float as price', () => {
    const { phone, add } = flats();
    expect(phone.raised('Flats.update_apartment', { apartment_id: add('One'), new_price: 900 })).toMatch(
      /must be of type <class 'float'>, got <class 'int'>/,
    );
  });
});

describe('cabs', () => {
  const trip = { start_location: 'A', end_location: 'B', service_type: 'Default' };

  it('keep the quoted distance, and vary the price by up to half', () => {
    const phone = new Phone(7, cabApp('Cabs'));
    const rides = Array.from({ length: 40 }, () => phone.record('Cabs.get_quotation', trip)) as {
      price: number;
      distance_km: number;
      delay: number;
    }[];
    const [first] = rides as [(typeof rides)[0]];
    expect(new Set(rides.map(({ distance_km }) => distance_km)).size).toBe(1);
    expect(first.price).toBeCloseTo(first.distance_km, 9);
    const factors = rides.slice(1).map(({ price }) => price / first.price);
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...factors)).toBeLessThanOrEqual(1.5);
    expect(Math.max(...factors) - Math.min(...factors)).toBeGreaterThan(0.5);
    expect([...new Set(rides.map(({ delay }) => delay))].sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10]);
  });

  it('quote each service, each in the log', () => {
    const phone = new Phone(1, cabApp('Cabs'));
    const rides = phone.call('Cabs.list_rides', { start_location: 'A', end_location: 'B' }) as {
      service_type: string;
    }[];
    expect(rides.map(({ service_type }) => service_type)).toEqual(['Default', 'Premium', 'Van']);
    expect(phone.lines()).toEqual([...Array(3).fill('Cabs.get_quotation'), 'Cabs.list_rides']);
  });

  it('book nothing if no cab can be quoted', () => {
    const phone = new Phone(1, cabApp('Cabs'));
    expect(phone.raised('Cabs.order_ride', { ...trip, service_type: 'Jet' })).toBe('ValueError: Invalid service type.');
    expect(phone.lines()).toEqual(['Cabs.get_quotation!', 'Cabs.order_ride!']);
    expect(phone.call('Cabs.get_ride_history_length')).toBe(0);
    phone.call('Cabs.order_ride', trip);
    phone.call('Cabs.user_cancel_ride');
    expect(phone.record('Cabs.get_ride', { idx: 0 }).status).toBe('CANCELLED');
  });
});

describe('the city', () => {
  it('refuses too frequent calls for half an hour', () => {
    const city = new CityApp('City');
    const crime_data = { '1': { violent_crime: 1, property_crime: 2 } };
    city.loadState({ api_call_limit: 2, crime_data });
    const phone = new Phone(1, city);
    const ask = (zip_code = '1') => phone.raised('City.get_crime_rate', { zip_code });
    const limited = /^ValueError: Free version only supports 2 API calls/;
    expect([ask(), ask('2')]).toEqual(['nothing was raised', 'ValueError: Zip code does not exist in our database']);
    expect(phone.call('City.get_api_call_count')).toBe(2);
    expect(ask()).toMatch(limited);
    phone.now += 1799;
    expect(ask()).toMatch(limited);
    phone.now += 1;
    expect(ask()).toBe('nothing was raised');
    expect(phone.call('City.get_api_call_count')).toBe(1);
    phone.call('City.update_crime_rate', { zip_code: '1', new_violent_crime_rate: 9.5 });
    expect(phone.call('City.get_crime_rate', { zip_code: '1' })).toEqual({ violent_crime: 9.5, property_crime: 2 });
  });
});
