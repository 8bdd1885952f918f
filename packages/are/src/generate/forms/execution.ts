// Composed execution tasks: one act, one act on a person who is referred to by a fact, or two acts in order.
import type { Template } from '../template.ts';
import { DONE, THEN_TELL } from '../templates/asks.ts';
import { ACT_IDS, type Act, actOf, type NamedBy, namedBy, PAIRS, SOMEBODY_IDS, sentence, TO_SOMEBODY } from './acts.ts';
import { Stock } from './stock.ts';

type Writers = Record<string, Template['write']>;

/** Ways to refer to a person other than by full name. */
const REFERENCES = ['first name', 'city', 'job', 'phone', 'sender'] as const satisfies readonly NamedBy[];

const single =
  (act: (stock: Stock) => Act): Template['write'] =>
  (draft, universe) => {
    const { words, done } = act(new Stock(universe));
    draft.user(`${sentence(words)} ${THEN_TELL}`);
    done(draft);
    draft.tell(DONE);
  };

export const EXECUTION_FORMS: Writers = {
  ...Object.fromEntries(ACT_IDS.map((id) => [id, single((stock) => actOf(id, stock))])),
  ...Object.fromEntries(
    SOMEBODY_IDS.flatMap((id) =>
      REFERENCES.map((reference) => [
        `${id} by ${reference}`,
        single((stock) => TO_SOMEBODY[id](stock, namedBy(reference, stock))),
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
