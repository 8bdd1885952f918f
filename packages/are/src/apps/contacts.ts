// The address book (ARE's ContactsApp and its classes Contacts and InternalContacts): people by id, one of whom is the user.
import { AppBase } from '../app.ts';
import { attributeError, keyError, valueError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Values } from '../value.ts';
import { type Contact, changed, genderOf, readState, statusOf, validContact } from './support/contact.ts';
import { asDict, copyOf } from './support/state.ts';
import { holds } from './support/text.ts';

const VIEW_LIMIT = 10;

export class ContactsApp extends AppBase {
  readonly tools: readonly Tool[] = TOOLS;
  contacts = new Map<string, Contact>();
  /** Contacts per page. */
  viewLimit = VIEW_LIMIT;

  constructor(name?: string, className = 'ContactsApp') {
    super(className, name);
  }

  getState(): Values {
    return { contacts: asDict(this.contacts, copyOf), view_limit: this.viewLimit };
  }

  loadState(state: Values): void {
    const { contacts, view_limit } = readState(state, '');
    this.contacts = new Map(
      [...contacts].map(([key, contact]) => [key, validContact({ ...contact, contact_id: contact.contact_id || key })]),
    );
    this.viewLimit = view_limit;
  }

  reset(): void {
    this.contacts.clear();
  }

  contact(id: string, message = 'Contact does not exist.'): Contact {
    const contact = this.contacts.get(id);
    if (!contact) throw keyError(message);
    return contact;
  }

  /** Sets field by field, so fields before an unknown one stay changed; but an invalid contact is rolled back entirely. */
  edit(id: string, updates: Values): void {
    const before = this.contact(id);
    let contact = before;
    for (const [key, value] of Object.entries(updates)) {
      if (!Object.hasOwn(before, key)) throw attributeError(`${key} is not a valid attribute of Contact.`);
      contact = changed(contact, key as keyof Contact, value);
      this.contacts.set(id, contact);
    }
    try {
      this.contacts.set(id, validContact(contact));
    } catch (error) {
      this.contacts.set(id, before);
      throw error;
    }
  }
}

const fullName = (first: string, last: string): string => `${first.toLowerCase()} ${last.toLowerCase()}`;

const ID = { contact_id: { type: 'str', about: 'Id of the contact.' } } as const;
const text = (about: string) => ({ type: 'str | None', default: null, about }) as const;
const ALL = ['agent', 'data'] as const;

const tool = toolsOf<ContactsApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'get_contacts',
    roles: ALL,
    operation: 'READ',
    returns: 'dict[str, Any]',
    params: { offset: { type: 'int', default: 0, about: 'How many contacts to skip.' } },
    about: 'Lists contacts, a limited number at a time, with the range shown and the total.',
    run: ({ contacts, viewLimit }, { offset }) => ({
      contacts: copyOf([...contacts.values()].slice(offset, offset + viewLimit)),
      metadata: { range: [offset, Math.min(offset + viewLimit, contacts.size)], total: contacts.size },
    }),
  }),
  tool({
    name: 'get_contact',
    roles: ALL,
    operation: 'READ',
    returns: 'Contact',
    params: ID,
    about: 'Everything about one contact.',
    run: (app, { contact_id }) => copyOf(app.contact(contact_id, `Contact ${contact_id} does not exist.`)),
  }),
  tool({
    name: 'get_current_user_details',
    roles: ALL,
    operation: 'READ',
    returns: 'Contact',
    params: {},
    about: "The user's own contact.",
    run: ({ contacts }) => {
      const user = [...contacts.values()].find(({ is_user }) => is_user);
      if (!user) throw keyError('User Contact does not exist.');
      return copyOf(user);
    },
  }),
  tool({
    name: 'add_new_contact',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str',
    params: {
      first_name: { type: 'str', about: 'First name.' },
      last_name: { type: 'str', about: 'Last name.' },
      gender: text('Male, Female, Other or Unknown.'),
      age: { type: 'int | None', default: null, about: 'Age in years, 1 to 100.' },
      nationality: text('Nationality.'),
      city_living: text('City of residence.'),
      country: text('Country of residence.'),
      status: text('Student, Employed, Unemployed, Retired or Unknown.'),
      job: text('Occupation.'),
      description: text('Anything else.'),
      phone: text('Phone number.'),
      email: text('Email address.'),
      address: text('Postal address.'),
    },
    about: 'Adds a contact and returns its id. Nobody is in the book twice by full name.',
    run: (app, { gender, status, ...rest }) => {
      const name = fullName(rest.first_name, rest.last_name);
      const same = [...app.contacts.values()].findLast((other) => fullName(other.first_name, other.last_name) === name);
      if (same) throw valueError(`Contact already exists with contact id - ${same.contact_id}.`);
      const contact = validContact({
        ...rest,
        contact_id: app.draws.id(),
        is_user: false,
        gender: genderOf(gender ?? 'Unknown'),
        status: statusOf(status ?? 'Unknown'),
      });
      app.contacts.set(contact.contact_id, contact);
      return contact.contact_id;
    },
  }),
  tool({
    name: 'edit_contact',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str | None',
    params: { ...ID, updates: { type: 'dict[str, Any]', about: 'New values by the name of their field.' } },
    about: 'Changes fields of a contact.',
    run: (app, { contact_id, updates }) => {
      app.edit(contact_id, updates);
      return `Contact ${contact_id} updated successfully.`;
    },
  }),
  tool({
    name: 'delete_contact',
    roles: ALL,
    operation: 'WRITE',
    returns: 'str',
    params: ID,
    about: 'Removes a contact.',
    run: (app, { contact_id }) => {
      app.contact(contact_id);
      app.contacts.delete(contact_id);
      return `Contact ${contact_id} successfully deleted.`;
    },
  }),
  tool({
    name: 'search_contacts',
    operation: 'READ',
    returns: 'list[Contact]',
    params: { query: { type: 'str', about: 'A part of the text to find.' } },
    about: 'Finds contacts by a part of their name, phone number or email address, whatever the case.',
    run: (app, { query }) => {
      const sought = query.toLowerCase();
      const isFound = ({ first_name, last_name, phone, email }: Contact) =>
        [`${first_name} ${last_name}`, `${last_name} ${first_name}`, phone, email].some((field) =>
          holds(field, sought),
        );
      return copyOf([...app.contacts.values()].filter(isFound));
    },
  }),
];
