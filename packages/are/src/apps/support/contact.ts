// A person in the address book: the fields, and the rules of a valid contact.
import { PythonError, quoted, valueError } from '../../python-error.ts';
import { typeName } from '../../python-type.ts';
import type { Value } from '../../value.ts';
import { bool, dict, nullable, num, record, str, withDefault } from './state.ts';

const GENDERS = ['Female', 'Male', 'Other', 'Unknown'] as const;
const STATUSES = ['Student', 'Employed', 'Unemployed', 'Retired', 'Unknown'] as const;
const OLDEST = 100;

export type Contact = {
  first_name: string;
  last_name: string;
  contact_id: string;
  is_user: boolean;
  gender: string;
  /** Years. */
  age: number | null;
  nationality: string | null;
  city_living: string | null;
  country: string | null;
  status: string;
  job: string | null;
  description: string | null;
  phone: string | null;
  email: string | null;
  address: string | null;
};

/** Error texts contain the class's name. */
const memberOf = (members: readonly string[], className: string) => (value: string) => {
  if (!members.includes(value)) throw valueError(`${quoted(value)} is not a valid ${className}`);
  return value;
};
export const genderOf = memberOf(GENDERS, 'Gender');
export const statusOf = memberOf(STATUSES, 'Status');

const text = withDefault(nullable(str), '');
export const readState = record({
  contacts: dict(
    record({
      first_name: withDefault(str, ''),
      last_name: withDefault(str, ''),
      contact_id: withDefault(str, ''),
      is_user: withDefault(bool, false),
      gender: withDefault((value, at) => genderOf(str(value, at)), 'Unknown'),
      age: withDefault(nullable(num), 0),
      nationality: text,
      city_living: text,
      country: text,
      status: withDefault((value, at) => statusOf(str(value, at)), 'Unknown'),
      job: text,
      description: text,
      phone: text,
      email: text,
      address: text,
    }),
  ),
  view_limit: num,
});

/** The contact, with gender and status in the usual spelling. Throws ValueError. */
export function validContact(contact: Contact): Contact {
  const { age } = contact;
  if (age !== null && !(age >= 1 && age <= OLDEST)) throw valueError(`('Invalid age.', ${age})`);
  return {
    ...contact,
    gender: genderOf(spelled(contact.gender, GENDERS)),
    status: statusOf(spelled(contact.status, STATUSES)),
  };
}

/** Accepts any case, and the class's name as a prefix: `Gender.FEMALE`. */
function spelled(value: string, members: readonly string[]): string {
  const last = value.slice(value.lastIndexOf('.') + 1);
  return members.find((member) => member.toLowerCase() === last.toLowerCase()) ?? last;
}

const NAMES: readonly (keyof Contact)[] = ['first_name', 'last_name'];
const WORDS: readonly (keyof Contact)[] = ['contact_id', 'gender', 'status'];

/** The contact with a new value in a field; the type must match the field's. */
export function changed(contact: Contact, key: keyof Contact, value: Value): Contact {
  if (NAMES.includes(key) && value === null) throw valueError(`Invalid ${key.replace('_', ' ')}.`);
  const fits =
    key === 'age'
      ? value === null || typeof value === 'number'
      : key === 'is_user'
        ? typeof value === 'boolean'
        : typeof value === 'string' || (value === null && !NAMES.includes(key) && !WORDS.includes(key));
  if (!fits) throw new PythonError('TypeError', `${key} cannot be of type ${typeName(value)}`);
  return { ...contact, [key]: value };
}
