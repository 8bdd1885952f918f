// Search: the user asks, and the answer is in the apps. Nothing is changed; what is judged is the answer.
import { templatesOf } from '../template.ts';
import { dateText, hourText, type Person, type Universe } from '../universe.ts';

const personOf = (people: readonly Person[], isMeant: (person: Person) => boolean): Person =>
  people.find(isMeant) as Person;
/** Somebody who is the only attendee of something. */
const soleOccasion = ({ occasions, chance }: Universe) =>
  chance.one(occasions.filter(({ attendees }) => attendees.length === 1).concat(occasions.slice(0, 1)));
const names = (people: readonly Person[]): string => people.map(({ name }) => name).join(' and ');

export const SEARCH = templatesOf(
  'search',
  {
    phone: (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`What is the phone number of ${person.name}?`);
      draft.tell(`The phone number of ${person.name} is ${person.phone}.`);
    },
    address: (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`What is the email address of ${person.name}?`);
      draft.tell(`The email address of ${person.name} is ${person.email}.`);
    },
    'who lives there': (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`Which of my contacts lives in ${person.city}?`);
      draft.tell(`The contact who lives in ${person.city} is ${person.name}.`);
    },
    'who works so': (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`Where does my contact whose job is ${person.job} live?`);
      draft.tell(`${person.name} lives in ${person.city}.`);
    },
    'when is it': (draft, { occasions, chance }) => {
      const { title, start } = chance.one(occasions);
      draft.user(`On which date and at which time does "${title}" in my calendar begin?`);
      draft.tell(`The event ${title} begins on ${dateText(start)} at ${hourText(start)}.`);
    },
    'who attends': (draft, { occasions, chance }) => {
      const { title, attendees } = chance.one(occasions);
      draft.user(`Who attends "${title}" in my calendar?`);
      draft.tell(`The event ${title} is attended by ${names(attendees)}.`);
    },
    'who wrote': (draft, { mails, chance }) => {
      const { subject, from } = chance.one(mails);
      draft.user(`Who sent me the email "${subject}"?`);
      draft.tell(`The email ${subject} was sent by ${from.name}.`);
    },
    'count mails': (draft, { mails, chance }) => {
      const { from } = chance.one(mails);
      draft.user(`How many emails from ${from.name} are in my inbox?`);
      draft.tell(`There are ${mails.filter((email) => email.from === from).length} emails from ${from.name}.`);
    },
    price: (draft, { products, chance }) => {
      const product = chance.one(products);
      const variant = chance.one(product.variants);
      draft.user(`What does the ${product.name} in ${variant.color} cost in the shop?`);
      draft.tell(`The ${product.name} in ${variant.color} costs ${variant.price}.`);
    },
    'cheapest flat': (draft, { flats, words, chance }) => {
      const area = chance.one(words.areas);
      const [cheapest] = flats.filter((flat) => flat.area === area).sort((a, b) => a.price - b.price);
      draft.user(`What is the name of the cheapest apartment in ${area}, and what does it cost?`);
      draft.tell(`The cheapest apartment in ${area} is ${cheapest!.name} for ${cheapest!.price}.`);
    },
    'last ride': (draft, { trips }) => {
      const trip = trips.at(-1)!;
      draft.user('Where did my last cab ride begin and end, and what did it cost?');
      draft.tell(`The last ride went from ${trip.from} to ${trip.to} and cost ${trip.price}.`);
    },
    'spent on orders': (draft, { orders }) => {
      const total = orders.reduce((sum, { variant }) => sum + variant.price, 0);
      draft.user('How much do all orders of mine in the shop come to?');
      draft.tell(`All orders come to ${total}.`);
    },
    'phone of attendee': (draft, universe) => {
      const { title, attendees } = soleOccasion(universe);
      const person = attendees[0]!;
      draft.user(`What are the names and phone numbers of all who attend "${title}" in my calendar?`);
      draft.tell(attendees.length === 1 ? `${person.name} has the phone number ${person.phone}.` : listed(attendees));
    },
    'city of sender': (draft, { mails, people, chance }) => {
      const { subject, from } = chance.one(mails);
      const person = personOf(people, ({ id }) => id === from.id);
      draft.user(`In which city does the person live who sent me the email "${subject}"?`);
      draft.tell(`The sender, ${person.name}, lives in ${person.city}.`);
    },
    'crime at flat': (draft, { flats, crime, chance }) => {
      const flat = chance.one(flats);
      draft.user(`How high is the rate of violent crime in the zip code of the apartment ${flat.name}?`);
      draft.tell(`The rate of violent crime in ${flat.zip}, where ${flat.name} is, is ${crime.get(flat.zip)}.`);
    },
  },
  ['phone of attendee', 'city of sender', 'crime at flat', 'spent on orders'],
);

const listed = (people: readonly Person[]): string =>
  people.map(({ name, phone }) => `${name} has the phone number ${phone}.`).join(' ');
