// The phone of a universe: its apps with their state, in the format of a scenario file.

import { formatDateTime, isoFormat, weekdayOf } from '../apps/support/clock.ts';
import type { Trace } from '../scenario/schema.ts';
import type { Values } from '../value.ts';
import type { Occasion, Order, Person, Product, Universe } from './universe.ts';

const HOUR = 3600;
const SERVICE = { nb_seats: 4, price_per_km: 1, base_delay_min: 5, max_distance_km: 25 };

export function phoneOf(universe: Universe): Trace['apps'] {
  const app = (name: string, class_name: string, app_state: Values): Trace['apps'][number] => ({
    name,
    class_name,
    app_state: app_state as Record<string, unknown>,
  });
  return [
    app('AgentUserInterface', 'AgentUserInterface', { messages: [] }),
    app('SystemApp', 'SystemApp', {}),
    app('Contacts', 'Contacts', contacts(universe)),
    app('Emails', 'EmailClientV2', emails(universe)),
    app('Calendar', 'Calendar', { events: byId(universe.occasions.map(occasion), 'event_id') }),
    app('Chats', 'MessagingAppV2', chats(universe)),
    app('Shopping', 'Shopping', shopping(universe)),
    app('RentAFlat', 'RentAFlat', flats(universe)),
    app('Cabs', 'CabApp', cabs(universe)),
    app('City', 'CityApp', city(universe)),
  ];
}

const byId = (rows: readonly Values[], key: string): Values =>
  Object.fromEntries(rows.map((row) => [row[key] as string, row]));

function contacts({ user, people }: Universe): Values {
  const contact = ({ id, first, last, email, phone, city, job }: Person): Values => ({
    first_name: first,
    last_name: last,
    contact_id: id,
    is_user: id === user.id,
    gender: 'Unknown',
    age: 30,
    nationality: '',
    city_living: city,
    country: '',
    status: 'Employed',
    job,
    description: '',
    phone,
    email,
    address: `1 Main Street, ${city}`,
  });
  return { contacts: byId([user, ...people].map(contact), 'contact_id'), view_limit: 10 };
}

function emails({ user, mails }: Universe): Values {
  const inbox = mails.map(
    ({ id, from, subject, content, time }): Values => ({
      sender: from.email,
      recipients: [user.email],
      subject,
      content,
      email_id: id,
      parent_id: null,
      cc: [],
      attachments: {},
      timestamp: time,
      is_read: false,
    }),
  );
  const folder = (folder_name: string, list: readonly Values[] = []): Values => ({ folder_name, emails: list });
  const folders = {
    INBOX: folder('INBOX', inbox),
    SENT: folder('SENT'),
    DRAFT: folder('DRAFT'),
    TRASH: folder('TRASH'),
  };
  return { user_email: user.email, view_limit: 5, folders };
}

function occasion({ id, title, start, end, attendees }: Occasion): Values {
  const shown = (seconds: number) => `${weekdayOf(seconds)}, ${formatDateTime(seconds)}`;
  return {
    event_id: id,
    title,
    start_datetime: start,
    end_datetime: end,
    tag: null,
    description: null,
    location: null,
    attendees: attendees.map(({ name }) => name),
    start_strftime: shown(start),
    end_strftime: shown(end),
  };
}

function chats({ user, people }: Universe): Values {
  const all = [user, ...people];
  return {
    conversations: {},
    messages_view_limit: 10,
    conversation_view_limit: 5,
    mode: 'NAME',
    name_to_id: Object.fromEntries(all.map(({ name, id }) => [name, id])),
    id_to_name: Object.fromEntries(all.map(({ name, id }) => [id, name])),
    current_user_id: user.id,
    current_user_name: user.name,
  };
}

function shopping({ products, orders, start }: Universe): Values {
  const product = ({ id, name, variants }: Product): Values => {
    const items = variants.map(
      (variant): Values => ({
        price: variant.price,
        available: true,
        item_id: variant.id,
        options: { color: variant.color },
      }),
    );
    return { name, product_id: id, variants: byId(items, 'item_id') };
  };
  const order = ({ id, variant }: Order, i: number): Values => ({
    order_status: 'processed',
    order_date: isoFormat(start - (i + 1) * 24 * HOUR),
    order_total: variant.price,
    order_id: id,
    order_items: {
      [variant.id]: {
        item_id: variant.id,
        quantity: 1,
        price: variant.price,
        available: true,
        options: { color: variant.color },
      },
    },
  });
  return {
    products: byId(products.map(product), 'product_id'),
    cart: {},
    orders: byId(orders.map(order), 'order_id'),
    discount_codes: {},
  };
}

function flats(universe: Universe): Values {
  const rows = universe.flats.map(
    ({ id, name, area, zip, price, bedrooms }): Values => ({
      name,
      location: area,
      zip_code: zip,
      price,
      bedrooms,
      bathrooms: 1,
      property_type: 'Apartment',
      square_footage: 400 + 150 * bedrooms,
      furnished_status: 'Furnished',
      floor_level: 'Upper floors',
      pet_policy: 'No pets',
      lease_term: '1 year',
      apartment_id: id,
      amenities: [],
      saved: false,
    }),
  );
  return { apartments: byId(rows, 'apartment_id'), saved_apartments: [] };
}

function cabs({ trips, start }: Universe): Values {
  const rides = trips.map(
    ({ from, to, km, price }, i): Values => ({
      ride_id: `ride${i}`,
      status: 'COMPLETED',
      service_type: 'Default',
      start_location: from,
      end_location: to,
      price,
      duration: 20,
      time_stamp: start - (trips.length - i) * 24 * HOUR,
      distance_km: km,
      delay: 5,
      delay_history: [],
    }),
  );
  const services = {
    Default: SERVICE,
    Premium: { ...SERVICE, price_per_km: 2, base_delay_min: 3 },
    Van: { ...SERVICE, nb_seats: 6, price_per_km: 1.5, base_delay_min: 7 },
  };
  return { ride_history: rides, quotation_history: rides, d_service_config: services };
}

const city = ({ crime }: Universe): Values => ({
  api_call_limit: 100,
  crime_data: Object.fromEntries(
    [...crime].map(([zip, rate]) => [zip, { violent_crime: rate, property_crime: rate + 1 }]),
  ),
});
