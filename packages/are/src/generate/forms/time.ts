// Composed time tasks: any act in exactly some minutes, not before, no later, after a mail, or some minutes after another act.
import type { When } from '../draft.ts';
import type { Template } from '../template.ts';
import { DONE, THEN_TELL } from '../templates/asks.ts';
import { ACT_IDS, actOf, PAIRS, sentence } from './acts.ts';
import { Stock } from './stock.ts';

type Writers = Record<string, Template['write']>;

const MINUTE = 60;
const dotted = (words: string): string => (words.endsWith('"') ? words : `${words}.`);

const FRAMES: Readonly<Record<string, (words: string, minutes: number) => { said: string; when: When }>> = {
  'in minutes': (words, minutes) => ({
    said: `In exactly ${minutes} minutes, ${dotted(words)}`,
    when: { delay: minutes * MINUTE },
  }),
  'not before': (words, minutes) => ({
    said: `Wait for ${minutes} minutes at least, then ${dotted(words)}`,
    when: { delay: minutes * MINUTE, comparator: 'GREATER_THAN' },
  }),
  'no later than': (words, minutes) => ({
    said: `Within ${minutes} minutes, ${dotted(words)}`,
    when: { delay: minutes * MINUTE, comparator: 'LESS_THAN' },
  }),
};

const single: Writers = Object.fromEntries(
  Object.entries(FRAMES).flatMap(([name, frame]) =>
    ACT_IDS.map((id): [string, Template['write']] => [
      `${id} ${name}`,
      (draft, universe) => {
        const stock = new Stock(universe);
        const act = actOf(id, stock);
        const { said, when } = frame(act.words, stock.minutes());
        draft.user(`${said} ${THEN_TELL}`);
        act.done(draft, when);
        draft.tell(DONE);
      },
    ]),
  ),
);

const afterMail: Writers = Object.fromEntries(
  ACT_IDS.map((id): [string, Template['write']] => [
    `${id} minutes after a mail`,
    (draft, universe) => {
      const stock = new Stock(universe);
      const [who, act, minutes] = [stock.person(), actOf(id, stock), stock.minutes(2, 4)];
      draft.user(
        `An email from ${who.name} is going to come. Exactly ${minutes} minutes after it has come, ${dotted(act.words)} ${THEN_TELL}`,
      );
      const letter = { sender: who.email, subject: stock.subject(), content: stock.sentence() };
      draft.world('Emails', 'send_email_to_user_only', letter, { delay: stock.chance.between(40, 90) });
      act.done(draft, { delay: minutes * MINUTE });
      draft.tell(DONE);
    },
  ]),
);

const oneAfterAnother: Writers = Object.fromEntries(
  PAIRS.map(([one, other]): [string, Template['write']] => [
    `${one}, minutes later ${other}`,
    (draft, universe) => {
      const stock = new Stock(universe);
      const [first, second, minutes] = [actOf(one, stock), actOf(other, stock), stock.minutes()];
      draft.user(`${sentence(first.words)} Exactly ${minutes} minutes later, ${dotted(second.words)} ${THEN_TELL}`);
      second.done(draft, { after: [first.done(draft)], delay: minutes * MINUTE });
      draft.tell(DONE);
    },
  ]),
);

export const TIME_FORMS: Writers = { ...single, ...afterMail, ...oneAfterAnother };
