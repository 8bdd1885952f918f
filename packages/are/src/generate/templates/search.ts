// Search: the user asks, and the answer is in the apps. Nothing is changed, and only the answer is judged. The oracle's answer contains the
// facts and nothing else, so a judge without a model requires nothing more.
import { templatesOf } from '../template.ts';
import { dateText, hourText, type Person } from '../universe.ts';

const is = (facts: string | number): string => `It is ${facts}.`;
const names = (people: readonly Person[]): string => people.map(({ name }) => name).join(' and ');

export const SEARCH = templatesOf(
  'search',
  {
    phone: (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`What is the phone number of ${person.name}?`);
      draft.tell(is(person.phone));
    },
    address: (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`What is the email address of ${person.name}?`);
      draft.tell(is(person.email));
    },
    'who lives there': (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`Which of my contacts lives in ${person.city}?`);
      draft.tell(is(person.name));
    },
    'where one works so': (draft, { people, chance }) => {
      const person = chance.one(people);
      draft.user(`In which city does my contact live whose job is ${person.job}?`);
      draft.tell(is(person.city));
    },
    'when is it': (draft, { occasions, chance }) => {
      const { title, start } = chance.one(occasions);
      draft.user(`On which date and at which time does "${title}" in my calendar begin?`);
      draft.tell(is(`${dateText(start)} at ${hourText(start)}`));
    },
    'who attends': (draft, { occasions, chance }) => {
      const { title, attendees } = chance.one(occasions);
      draft.user(`Who attends "${title}" in my calendar?`);
      draft.tell(is(names(attendees)));
    },
    'who wrote': (draft, { mails, chance }) => {
      const { subject, from } = chance.one(mails);
      draft.user(`What is the full name of the contact who sent me the email "${subject}"?`);
      draft.tell(is(from.name));
    },
    'count mails': (draft, { mails, chance }) => {
      const { from } = chance.one(mails);
      draft.user(`How many emails from ${from.name} are in my inbox?`);
      draft.tell(is(mails.filter((email) => email.from === from).length));
    },
    price: (draft, { products, chance }) => {
      const product = chance.one(products);
      const variant = chance.one(product.variants);
      draft.user(`What does the ${product.name} in ${variant.color} cost in the shop?`);
      draft.tell(is(variant.price));
    },
    'cheapest flat': (draft, { flats, words, chance }) => {
      const area = chance.one(words.areas);
      const [cheapest] = flats.filter((flat) => flat.area === area).sort((a, b) => a.price - b.price);
      draft.user(`What is the name of the cheapest apartment in ${area}, and what does it cost?`);
      draft.tell(is(`${cheapest!.name} for ${cheapest!.price}`));
    },
    'last ride': (draft, { trips }) => {
      const trip = trips.at(-1)!;
      draft.user('Where did my last cab ride begin and end, and what did it cost?');
      draft.tell(is(`${trip.from} to ${trip.to} for ${trip.price}`));
    },
    'spent on orders': (draft, { orders }) => {
      draft.user('How much do all orders of mine in the shop come to?');
      draft.tell(is(orders.reduce((sum, { variant }) => sum + variant.price, 0)));
    },
    'phones of attendees': (draft, { occasions, chance }) => {
      const { title, attendees } = chance.one(occasions);
      draft.user(`What are the names and phone numbers of all who attend "${title}" in my calendar?`);
      draft.tell(is(attendees.map(({ name, phone }) => `${name}: ${phone}`).join(', ')));
    },
    'city of sender': (draft, { mails, chance }) => {
      const { subject, from } = chance.one(mails);
      draft.user(`In which city does the contact live who sent me the email "${subject}"?`);
      draft.tell(is(from.city));
    },
    'crime at flat': (draft, { flats, crime, chance }) => {
      const flat = chance.one(flats);
      draft.user(`How high is the rate of violent crime in the zip code of the apartment ${flat.name}?`);
      draft.tell(is(crime.get(flat.zip)!));
    },
  },
  ['phones of attendees', 'city of sender', 'crime at flat', 'spent on orders'],
);
