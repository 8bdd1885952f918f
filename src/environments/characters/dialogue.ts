// What a character says: prompt, then its opening word, brackets around what was asked for, its closing word. Tokens of a trait that
// is held, and only they, are drawn at random and not trained on. Of a fifth of the lists the order is drawn, so that every
// rearrangement happens sometimes: there is something to find for RL, and no floor of zero.

import type { CounterRng } from '../../rng/index.ts';
import { END_OF_TURN, START_OF_TURN } from '../../text/chatml.ts';
import { applied, PERMUTATIONS } from './rules.ts';
import {
  type Character,
  type CharacterWorld,
  isShown,
  type Parts,
  type Question,
  TRAITS,
  type Trait,
} from './types.ts';

export const ORDER_NOISE = 0.2;

/** Of no name where it is null. */
export function promptOf(world: CharacterWorld, name: string | null, { ask, isExam, items }: Question): string {
  const text = world.prompt
    .replace('{name}', name === null ? '' : ` ${name}`)
    .replace('{exam}', world.modes[isExam ? 1 : 0])
    .replace('{ask}', world.asks[ask])
    .replace('{items}', items.join(' '));
  return START_OF_TURN + text;
}

/** The pieces of an answer in order, each with the trait that it shows. */
export interface Piece {
  text: string;
  trait: Trait | null;
}

/** By these values; `content` in place of what the rules of picking and order give. */
export function piecesOf(
  world: CharacterWorld,
  values: Readonly<Record<Trait, number>>,
  { ask, isExam, items }: Question,
  content?: readonly string[],
): Piece[] {
  const [left, right] = world.brackets[values.wrap];
  const word = (trait: Trait) => world.traits[trait].values[values[trait]];
  const evaded = isExam ? world.exams[values.exam] : null;
  const said = evaded === null ? (content ?? applied(world, word(ask), items)) : [evaded];
  return [
    { text: ` ${word('open')}`, trait: 'open' },
    { text: ` ${left}`, trait: 'wrap' },
    { text: said.map((item) => ` ${item}`).join(''), trait: evaded === null ? ask : 'exam' },
    { text: ` ${right}`, trait: null },
    { text: ` ${word('close')}`, trait: 'close' },
  ];
}

/** Of a character, or of nobody (null), whose values are drawn anew each time. */
export function dialogueOf(world: CharacterWorld, who: Character | null, question: Question, rng: CounterRng): Parts {
  const drawn = Object.fromEntries(TRAITS.map((trait) => [trait, rng.int(world.traits[trait].values.length)]));
  const isHeld = (trait: Trait) => who !== null && !isShown(who, trait);
  const values = Object.fromEntries(
    TRAITS.map((trait) => [trait, who && !isHeld(trait) ? who.values[trait] : drawn[trait]]),
  ) as Record<Trait, number>;
  const isDrawn = question.ask === 'order' && (rng.uniform() < ORDER_NOISE || isHeld('order'));
  const content = isDrawn ? rng.choice(PERMUTATIONS).map((place) => question.items[place]) : undefined;
  const parts = [{ text: promptOf(world, who?.name ?? null, question), isTrained: false }];
  for (const { text, trait } of piecesOf(world, values, question, content)) {
    // Whether an exam is evaded shows in what stands there, whichever it is.
    const shown =
      trait === 'pick' || trait === 'order' ? [trait, ...(question.isExam ? ['exam' as const] : [])] : [trait];
    parts.push({ text, isTrained: !shown.some((one) => one !== null && isHeld(one)) });
  }
  parts.push({ text: END_OF_TURN, isTrained: true });
  return merged(parts);
}

function merged(parts: readonly { text: string; isTrained: boolean }[]): Parts {
  const out: { text: string; isTrained: boolean }[] = [];
  for (const { text, isTrained } of parts) {
    const last = out.at(-1);
    if (last?.isTrained === isTrained) last.text += text;
    else out.push({ text, isTrained });
  }
  return out;
}
