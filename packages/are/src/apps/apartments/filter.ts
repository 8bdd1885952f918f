// Filter of a search for flats. As in the reference, an empty or zero filter lets everything pass, and a flat without data on furniture,
// pets or lease passes any filter on them.

import { holds } from '../support/text.ts';
import type { Apartment } from './apartment.ts';

export interface Filters {
  name: string | null;
  location: string | null;
  zip_code: string | null;
  min_price: number | null;
  max_price: number | null;
  number_of_bedrooms: number | null;
  number_of_bathrooms: number | null;
  property_type: string | null;
  square_footage: number | null;
  furnished_status: string | null;
  floor_level: string | null;
  pet_policy: string | null;
  lease_term: string | null;
  amenities: readonly string[] | null;
}

export function passes(flat: Apartment, filters: Filters): boolean {
  const { min_price, max_price, square_footage, amenities, name, location } = filters;
  const offered = (flat.amenities ?? []).map((amenity) => amenity.toLowerCase());
  return (
    !(min_price && flat.price < min_price) &&
    !(max_price && flat.price > max_price) &&
    !(square_footage && flat.square_footage < square_footage) &&
    isOneOf(filters.number_of_bedrooms, flat.bedrooms) &&
    isOneOf(filters.number_of_bathrooms, flat.bathrooms) &&
    isOneOf(filters.zip_code, flat.zip_code) &&
    isOneOf(filters.floor_level, flat.floor_level) &&
    (!name || holds(flat.name, name.toLowerCase())) &&
    (!location || holds(flat.location, location.toLowerCase())) &&
    isSameWord(filters.property_type, flat.property_type) &&
    isSameOrMissing(filters.furnished_status, flat.furnished_status) &&
    isSameOrMissing(filters.pet_policy, flat.pet_policy) &&
    isSameOrMissing(filters.lease_term, flat.lease_term) &&
    (amenities ?? []).every((amenity) => offered.includes(amenity.toLowerCase()))
  );
}

const isOneOf = <T>(filter: T | null, value: T): boolean => !filter || filter === value;
const isSameWord = (filter: string | null, value: string): boolean =>
  !filter || filter.toLowerCase() === value.toLowerCase();
const isSameOrMissing = (filter: string | null, value: string | null): boolean => !value || isSameWord(filter, value);
