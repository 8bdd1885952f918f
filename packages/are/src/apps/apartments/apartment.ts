// A flat on the market, in the format of state files.
import { bool, dict, list, nullable, num, record, str, text, withDefault } from '../support/state.ts';

export type Apartment = {
  name: string;
  location: string;
  zip_code: string;
  price: number;
  bedrooms: number;
  bathrooms: number;
  property_type: string;
  square_footage: number;
  furnished_status: string | null;
  floor_level: string | null;
  pet_policy: string | null;
  lease_term: string | null;
  apartment_id: string;
  amenities: string[] | null;
  saved: boolean;
};

const optionalText = withDefault(nullable(text), '');
const readApartment = record({
  name: text,
  location: text,
  zip_code: text,
  price: num,
  bedrooms: num,
  bathrooms: num,
  property_type: text,
  square_footage: num,
  furnished_status: optionalText,
  floor_level: optionalText,
  pet_policy: optionalText,
  lease_term: optionalText,
  amenities: withDefault(nullable(list(str)), []),
  saved: withDefault(bool, false),
});
export const readState = record({ apartments: dict(readApartment), saved_apartments: list(str) });
