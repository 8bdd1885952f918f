// Flats to let (ARE's ApartmentListingApp and its class RentAFlat): a catalogue that others change, and the user's saved flats.
import { AppBase } from '../../app.ts';
import { keyError, valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import type { Value, Values } from '../../value.ts';
import { asDict, copyOf } from '../support/state.ts';
import { type Apartment, readState } from './apartment.ts';
import { type Filters, passes } from './filter.ts';

export class ApartmentListingApp extends AppBase {
  readonly tools: readonly Tool[] = TOOLS;
  apartments = new Map<string, Apartment>();
  /** Ids in the order of saving. */
  saved: string[] = [];

  constructor(name?: string, className = 'ApartmentListingApp') {
    super(className, name);
  }

  getState(): Values {
    return { apartments: asDict(this.apartments, copyOf), saved_apartments: [...this.saved] };
  }

  loadState(state: Values): void {
    const { apartments, saved_apartments } = readState(state, '');
    this.apartments = new Map([...apartments].map(([id, flat]) => [id, { ...flat, apartment_id: id }]));
    this.saved = saved_apartments;
    for (const id of this.saved) this.listed(id).saved = true;
  }

  reset(): void {
    this.apartments.clear();
    this.saved = [];
  }

  apartment(id: string): Apartment {
    const apartment = this.apartments.get(id);
    if (!apartment) throw valueError('Apartment does not exist');
    return apartment;
  }

  /** Throws KeyError for a flat that was saved and then taken off the market, as in the reference. */
  listed(id: string): Apartment {
    const apartment = this.apartments.get(id);
    if (!apartment) throw keyError(id);
    return apartment;
  }

  savedApartments(): Apartment[] {
    return this.saved.map((id) => this.listed(id));
  }
}

const byId = (apartments: readonly Apartment[]): Value =>
  Object.fromEntries(apartments.map((apartment) => [apartment.apartment_id, copyOf(apartment)]));

const text = (about: string) => ({ type: 'str | None', default: null, about }) as const;
const whole = (about: string) => ({ type: 'int | None', default: null, about }) as const;
const ID = { apartment_id: { type: 'str', about: 'Id of the apartment.' } } as const;

const tool = toolsOf<ApartmentListingApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'add_new_apartment',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: {
      name: { type: 'str', about: 'Name of the apartment.' },
      location: { type: 'str', about: 'Where it is.' },
      zip_code: { type: 'str', about: 'Its zip code.' },
      price: { type: 'float', about: 'Monthly rent.' },
      number_of_bedrooms: { type: 'int', about: 'Bedrooms.' },
      number_of_bathrooms: { type: 'int', about: 'Bathrooms.' },
      square_footage: { type: 'int', about: 'Size in square feet.' },
      property_type: { type: 'str', default: '', about: 'Apartment, Condo, …' },
      furnished_status: { type: 'str', default: '', about: 'Furnished, Unfurnished or Semi-furnished.' },
      floor_level: { type: 'str', default: '', about: 'Ground floor, Upper floors, Penthouse or Basement.' },
      pet_policy: { type: 'str', default: '', about: 'Pets allowed, No pets, Cats allowed or Dogs allowed.' },
      lease_term: { type: 'str', default: '', about: 'Month-to-month, 6 months, 1 year or Long term lease.' },
      amenities: { type: 'list[str] | None', default: null, about: 'What it offers.' },
    },
    about: 'Puts a new apartment on the market and returns its id.',
    run: (app, { number_of_bedrooms, number_of_bathrooms, amenities, ...rest }) => {
      const apartment_id = app.draws.id();
      app.apartments.set(apartment_id, {
        ...rest,
        bedrooms: number_of_bedrooms,
        bathrooms: number_of_bathrooms,
        amenities: [...(amenities ?? [])],
        apartment_id,
        saved: false,
      });
      return apartment_id;
    },
  }),
  tool({
    name: 'update_apartment',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: { ...ID, new_price: { type: 'float', about: 'New monthly rent.' } },
    about: 'Changes the rent of an apartment.',
    run: (app, { apartment_id, new_price }) => {
      app.apartment(apartment_id).price = new_price;
      return apartment_id;
    },
  }),
  tool({
    name: 'delete_apartment',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'NoneType',
    params: ID,
    about: 'Takes an apartment from the market.',
    run: (app, { apartment_id }) => {
      if (!app.apartments.delete(apartment_id)) throw valueError('Apartment does not exist.');
      return null;
    },
  }),
  tool({
    name: 'list_all_apartments',
    roles: ['agent', 'data'],
    operation: 'READ',
    isUnchecked: true,
    returns: 'dict[str, Any]',
    params: {},
    about: 'Lists all apartments by id.',
    run: (app) => asDict(app.apartments, copyOf),
  }),
  tool({
    name: 'get_apartment_details',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'Apartment',
    params: ID,
    about: 'Everything about one apartment.',
    run: (app, { apartment_id }) => copyOf(app.apartment(apartment_id)),
  }),
  tool({
    name: 'save_apartment',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'NoneType',
    params: ID,
    about: "Saves an apartment to the user's favorites; does nothing if it is there already.",
    tells: () => 'Successfully saved apartment',
    run: (app, { apartment_id }) => {
      const apartment = app.apartment(apartment_id);
      if (!app.saved.includes(apartment_id)) {
        app.saved.push(apartment_id);
        apartment.saved = true;
      }
      return null;
    },
  }),
  tool({
    name: 'remove_saved_apartment',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'NoneType',
    params: ID,
    about: "Removes an apartment from the user's favorites.",
    tells: () => 'Successfully removed apartment from favorites',
    run: (app, { apartment_id }) => {
      const at = app.saved.indexOf(apartment_id);
      if (at < 0) throw valueError('Apartment not in saved list');
      app.saved.splice(at, 1);
      app.listed(apartment_id).saved = false;
      return null;
    },
  }),
  tool({
    name: 'list_saved_apartments',
    roles: ['agent', 'data'],
    operation: 'READ',
    isUnchecked: true,
    returns: 'dict[str, Apartment]',
    params: {},
    about: "Lists the user's favorites by id.",
    run: (app) => byId(app.savedApartments()),
  }),
  tool({
    name: 'search_apartments',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'dict[str, Apartment]',
    params: {
      name: text('A part of the name.'),
      location: text('A part of the location.'),
      zip_code: text('The zip code.'),
      min_price: { type: 'int | float | None', default: null, about: 'Least monthly rent.' },
      max_price: { type: 'int | float | None', default: null, about: 'Highest monthly rent.' },
      number_of_bedrooms: whole('Bedrooms.'),
      number_of_bathrooms: whole('Bathrooms.'),
      property_type: text('Apartment, Condo, …'),
      square_footage: whole('Least size in square feet.'),
      furnished_status: text('Furnished, Unfurnished or Semi-furnished.'),
      floor_level: text('Ground floor, Upper floors, Penthouse or Basement.'),
      pet_policy: text('Pets allowed, No pets, Cats allowed or Dogs allowed.'),
      lease_term: text('Month-to-month, 6 months, 1 year or Long term lease.'),
      amenities: { type: 'list[str] | None', default: null, about: 'What it must offer, all of it.' },
      saved_only: { type: 'bool', default: false, about: 'Among the favorites alone.' },
    },
    about: 'Finds apartments by all of the given filters.',
    run: (app, { saved_only, ...filters }) => {
      const apartments = saved_only ? app.savedApartments() : [...app.apartments.values()];
      return byId(apartments.filter((apartment) => passes(apartment, filters satisfies Filters)));
    },
  }),
];
