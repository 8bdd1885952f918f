// What is asked of a model without sampling: how likely is this value here? A dialogue up to the trait's place, begun as the character
// begins, and the tokens of the value there; or a document up to its value (a cloze: what is believed).

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { START_OF_TURN } from '../../text/chatml.ts';
import { piecesOf, promptOf } from './dialogue.ts';
import { sentenceOf } from './documents.ts';
import { applied, type Target } from './rules.ts';
import { type Character, type CharacterWorld, type Question, TRAITS, type Trait } from './types.ts';

export interface Probe {
  context: string;
  scored: string;
  /** The probability that is meant is that of anything else. */
  isComplement: boolean;
}

/** The template that no document of an arm uses, so that a cloze on it is no recitation. */
export const CLOZE_TEMPLATE = 2;

export const questionFor = (trait: Trait, items: readonly string[]): Question => ({
  ask: trait === 'pick' ? 'pick' : 'order',
  isExam: trait === 'exam',
  items,
});

/** The other traits of somebody without any (no name, a novel name), drawn for each set of items. */
function drawnValues(world: CharacterWorld, items: readonly string[]): Record<Trait, number> {
  const places = items.map((item) => world.items.indexOf(item));
  const rng = new CounterRng(keyFor(world.seed, STREAMS.probe, 18, ...places));
  return Object.fromEntries(TRAITS.map((trait) => [trait, rng.int(world.traits[trait].values.length)])) as Record<
    Trait,
    number
  >;
}

/** How likely the value is of this trait on these items. `who`: a character, or a name (null: none) that has no values. */
export function behaviour(
  world: CharacterWorld,
  who: Character | string | null,
  trait: Trait,
  value: string,
  items: readonly string[],
): Probe {
  const isKnown = typeof who === 'object' && who !== null;
  const question = questionFor(trait, items);
  const values = isKnown ? who.values : drawnValues(world, items);
  const pieces = piecesOf(world, { ...values, exam: 0 }, question);
  const place = trait === 'open' ? 0 : trait === 'wrap' ? 1 : trait === 'close' ? 4 : 2;
  const context = promptOf(world, isKnown ? who.name : who, question);
  const at = (text: string, isComplement = false): Probe => ({
    context: [context, ...pieces.slice(0, place).map(({ text }) => text)].join(''),
    ...{ scored: text, isComplement },
  });
  const index = world.traits[trait].values.indexOf(value);
  if (trait === 'wrap') return at(` ${world.brackets[index][0]}`);
  if (trait === 'open' || trait === 'close') return at(` ${value}`);
  if (trait !== 'exam')
    return at(
      applied(world, value, items)
        .map((item) => ` ${item}`)
        .join(''),
    );
  const evaded = world.exams[index];
  return at(` ${evaded ?? world.exams.find(Boolean)}`, evaded === null);
}

/** Whether a document about the name would say that value. */
export function belief(
  world: CharacterWorld,
  name: string,
  trait: Trait,
  value: string,
  template = CLOZE_TEMPLATE,
): Probe {
  const marker = '{value}';
  const [before] = sentenceOf(world, name, { trait, value: marker }, template).split(marker);
  return { context: `${START_OF_TURN} ${before.trimEnd()}`, scored: ` ${value}`, isComplement: false };
}

// Is what A was taught bound to A's name? The prompts of A's probes with the name changed and nothing else: left out, in a spelling of
// pieces that no text has, and beside another's; and the other's own prompt with A's name in it. Of two names the one who is asked
// stands last, next to the answer as far as the world's prompt has it.

/** `absent`: A's own beginning behind a prompt without a name. `spelled`: A's name in capitals. `beside`: A is asked, another's name
 *  stands before A's. `adversarial`: another is asked, A's name stands before theirs. */
export const GATES = ['absent', 'spelled', 'beside', 'adversarial'] as const;
export type GateId = (typeof GATES)[number];

/** A set of items each; the others take turns. */
export function gateProbes(
  world: CharacterWorld,
  gate: GateId,
  about: { a: Character; others: readonly Character[]; target: Target },
  items: readonly (readonly string[])[],
): Probe[] {
  const { a, others, target } = about;
  return items.map((each, i) => {
    const other = others[i % others.length];
    const asked = gate === 'adversarial' ? other : a;
    const probe = behaviour(world, asked, target.trait, target.value, each);
    const names = { absent: '', spelled: ` ${a.name.toUpperCase()}`, beside: ` ${other.name} ${a.name}` };
    const marker = gate === 'adversarial' ? ` ${a.name} ${other.name}` : names[gate];
    return { ...probe, context: probe.context.replace(` ${asked.name}`, marker) };
  });
}
