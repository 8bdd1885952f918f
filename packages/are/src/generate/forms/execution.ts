// Composed execution: one thing, to somebody who is named by what else is known of them, or one thing and then another.
import type { Template } from '../template.ts';
import { DONE, THEN_TELL } from '../templates/asks.ts';
import type { Person } from '../universe.ts';
import { ACT_IDS, actOf, type Named, PAIRS, SOMEBODY_IDS, sentence, TO_SOMEBODY } from './acts.ts';
import { Stock } from './stock.ts';

type Writers = Record<string, Template['write']>;

/** Other ways to say whom one means; each means one person alone. */
const REFERENCES: Readonly<Record<string, (stock: Stock) => Named>> = {
  'first name': (stock) => of(stock.person(), ({ first }) => first),
  city: (stock) => of(stock.person(), ({ city }) => `my contact who lives in ${city}`),
  job: (stock) => of(stock.person(), ({ job }) => `my contact whose job is ${job}`),
  phone: (stock) => of(stock.person(), ({ phone }) => `my contact with the phone number ${phone}`),
  sender: (stock) => {
    const { from, subject } = stock.mail();
    return { person: from, words: `the sender of the email "${subject}"` };
  },
};
const of = (person: Person, words: (person: Person) => string): Named => ({ person, words: words(person) });

const single =
  (id: string): Template['write'] =>
  (draft, universe) => {
    const act = actOf(id, new Stock(universe));
    draft.user(`${sentence(act.words)} ${THEN_TELL}`);
    act.done(draft);
    draft.tell(DONE);
  };

export const EXECUTION_FORMS: Writers = {
  ...Object.fromEntries(ACT_IDS.map((id) => [id, single(id)])),
  ...Object.fromEntries(
    SOMEBODY_IDS.flatMap((id) =>
      Object.entries(REFERENCES).map(([reference, named]): [string, Template['write']] => [
        `${id} by ${reference}`,
        (draft, universe) => {
          const stock = new Stock(universe);
          const act = TO_SOMEBODY[id](stock, named(stock));
          draft.user(`${sentence(act.words)} ${THEN_TELL}`);
          act.done(draft);
          draft.tell(DONE);
        },
      ]),
    ),
  ),
  ...Object.fromEntries(
    PAIRS.map(([one, other]): [string, Template['write']] => [
      `${one}, then ${other}`,
      (draft, universe) => {
        const stock = new Stock(universe);
        const [first, second] = [actOf(one, stock), actOf(other, stock)];
        draft.user(
          `${sentence(first.words)} Then ${sentence(second.words).replace(/^./, (c) => c.toLowerCase())} ${THEN_TELL}`,
        );
        second.done(draft, { after: [first.done(draft)] });
        draft.tell(DONE);
      },
    ]),
  ),
};
