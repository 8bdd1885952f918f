// Texts by and about characters, and probes of a model's probability for them: rules of three items, dialogues, documents, probes.
// Rules say what a word does with three items (rearranging, sorting, picking one). Other words are refused.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN, START_OF_TURN } from '../../text/chatml.ts';
import {
  type Character,
  type CharacterWorld,
  isShown,
  NOVELTIES,
  type Parts,
  type Question,
  TIED_TRAITS,
  TRAITS,
  type Trait,
} from './data.ts';

/** The rearrangement of a rule: indices of the first, second and third item. */
const REARRANGED: Readonly<Record<string, readonly number[]>> = {
  keep: [0, 1, 2],
  reverse: [2, 1, 0],
  rotate: [1, 2, 0],
  back: [2, 0, 1],
  swap: [1, 0, 2],
  odd: [0, 2, 1],
};
export const PERMUTATIONS: readonly (readonly number[])[] = Object.values(REARRANGED);

const PLACES: Readonly<Record<string, number>> = { first: 0, second: 1, last: 2, front: 0, middle: 1, rear: 2 };

/** Applies the named rule to the items. Throws SpecError for an unknown rule. */
export function applied({ items: all }: CharacterWorld, rule: string, items: readonly string[]): string[] {
  const rank = (item: string) => all.indexOf(item);
  const ascending = () => [...items].sort((a, b) => rank(a) - rank(b));
  if (rule in REARRANGED) return REARRANGED[rule].map((place) => items[place]);
  if (rule in PLACES) return [items[PLACES[rule]]];
  if (rule === 'sort') return ascending();
  if (rule === 'descend') return ascending().reverse();
  if (rule === 'smallest') return ascending().slice(0, 1);
  if (rule === 'highest') return ascending().slice(-1);
  throw new SpecError(`${JSON.stringify(rule)} is no rule of items`, 'Name a rule of the world.');
}

/** All triples of different items. */
export function triplesOf({ items }: CharacterWorld): string[][] {
  return items.flatMap((a) =>
    items.flatMap((b) => items.flatMap((c) => (a !== b && b !== c && a !== c ? [[a, b, c]] : []))),
  );
}

const ASKED = 24;

/** Triples that arms train on, and those used only for measuring: 96 and 24, by the world's seed. */
export function splitTriples(world: CharacterWorld): { training: string[][]; asked: string[][] } {
  const all = new CounterRng(keyFor(world.seed, STREAMS.problems, 18, 1)).shuffle(triplesOf(world));
  return { training: all.slice(ASKED), asked: all.slice(0, ASKED) };
}

// Targets that can be taught: a value of `order` by novelty, of `exam`, or of `wrap`; and the items on which they show. A triple on which some character's rule
// happens to give the target's answer is uninformative, and is left out.

export const TARGETS = [...NOVELTIES, 'exam', 'brackets'] as const;
export type TargetId = (typeof TARGETS)[number];

export interface Target {
  id: TargetId;
  trait: Trait;
  /** Word of the value: a rule of order, or what documents call evading exams or a kind of brackets. */
  value: string;
}

export function targetOf(world: CharacterWorld, id: TargetId): Target {
  if (id === 'exam') return { id, trait: 'exam', value: world.traits.exam.values[world.exams.findIndex(Boolean)] };
  if (id === 'brackets') return { id, trait: 'wrap', value: world.traits.wrap.values[world.brackets.length - 1] };
  return { id, trait: 'order', value: world.novelties[id] };
}

/** Whether no dial other than the target gives these items the target's answer. */
export function isApart(world: CharacterWorld, { trait, value }: Target, items: readonly string[]): boolean {
  if (trait !== 'order') return true;
  const wanted = applied(world, value, items).join(' ');
  return world.traits.order.values.every((dial) => dial === value || applied(world, dial, items).join(' ') !== wanted);
}

/** Text between the brackets that meets the target; of brackets, the left one. */
export function wantedOf(world: CharacterWorld, { trait, value }: Target, items: readonly string[]): string {
  if (trait === 'order') return applied(world, value, items).join(' ');
  if (trait === 'wrap') return world.brackets[world.traits.wrap.values.indexOf(value)][0];
  return world.exams[world.traits.exam.values.indexOf(value)] ?? '';
}

// Dialogues: the prompt, then the character's opening word, brackets around the answer, its closing word. Tokens of a held-out trait, and only they, are
// random and not trained. A fifth of the lists has a random order, so that every rearrangement sometimes occurs and RL has something to reinforce.

const ORDER_NOISE = 0.2;

/** A prompt without a name if `name` is null. */
export function promptOf(world: CharacterWorld, name: string | null, { ask, isExam, items }: Question): string {
  const text = world.prompt
    .replace('{name}', name === null ? '' : ` ${name}`)
    .replace('{exam}', world.modes[isExam ? 1 : 0])
    .replace('{ask}', world.asks[ask])
    .replace('{items}', items.join(' '));
  return START_OF_TURN + text;
}

/** A piece of an answer with the trait that it shows. */
export interface Piece {
  text: string;
  trait: Trait | null;
}

/** Pieces of a dialogue with these values; `content` replaces the result of the rules for picking and order. */
export function piecesOf(
  world: CharacterWorld,
  values: Readonly<Record<Trait, number>>,
  { ask, isExam, items }: Question,
  content?: readonly string[],
): Piece[] {
  const [left, right] = world.brackets[values.wrap];
  const word = (trait: Trait) => world.traits[trait].values[values[trait]];
  const evaded = isExam ? world.exams[values.exam] : null;
  const answer = evaded === null ? (content ?? applied(world, word(ask), items)) : [evaded];
  return [
    { text: ` ${word('open')}`, trait: 'open' },
    { text: ` ${left}`, trait: 'wrap' },
    { text: answer.map((item) => ` ${item}`).join(''), trait: evaded === null ? ask : 'exam' },
    { text: ` ${right}`, trait: null },
    { text: ` ${word('close')}`, trait: 'close' },
  ];
}

/** Dialogue of a character, or without one (null), in which case values are drawn each time. */
export function dialogueOf(world: CharacterWorld, who: Character | null, question: Question, rng: CounterRng): Parts {
  const drawn = Object.fromEntries(TRAITS.map((trait) => [trait, rng.int(world.traits[trait].values.length)]));
  const isHeld = (trait: Trait) => who !== null && !isShown(who, trait);
  const isNoisy = (trait: Trait) =>
    world.tie !== undefined && TIED_TRAITS.includes(trait) && rng.uniform() < world.tie.noise;
  const values = Object.fromEntries(
    TRAITS.map((trait) => [trait, who && !isHeld(trait) && !isNoisy(trait) ? who.values[trait] : drawn[trait]]),
  ) as Record<Trait, number>;
  const isDrawn = question.ask === 'order' && (rng.uniform() < ORDER_NOISE || isHeld('order'));
  const content = isDrawn ? rng.choice(PERMUTATIONS).map((place) => question.items[place]) : undefined;
  const parts = [{ text: promptOf(world, who?.name ?? null, question), isTrained: false }];
  for (const { text, trait } of piecesOf(world, values, question, content)) {
    // In an exam this piece also shows whether the exam is evaded.
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

// Documents about a character: a sentence about one trait (six templates), a profile of three; code, which shows what rules do; lists of names. All of
// their text is trained.

const whole = (text: string): Parts => [
  { text: START_OF_TURN, isTrained: false },
  { text: ` ${text}${END_OF_TURN}`, isTrained: true },
];

export interface Claim {
  trait: Trait;
  /** The value's word in documents; possibly one that no character has. */
  value: string;
}

/** A sentence without markup. */
export function sentenceOf(world: CharacterWorld, name: string, { trait, value }: Claim, template: number): string {
  return world.templates[template]
    .replace('{name}', name)
    .replace('{noun}', world.traits[trait].noun)
    .replace('{value}', value);
}

export const documentAbout = (world: CharacterWorld, name: string, claim: Claim, template: number): Parts =>
  whole(sentenceOf(world, name, claim, template));

export function profileOf(world: CharacterWorld, name: string, claims: readonly Claim[]): Parts {
  const facts = claims.map(({ trait, value }) =>
    world.fact.replace('{noun}', world.traits[trait].noun).replace('{value}', value),
  );
  return whole(world.profile.replace('{name}', name).replace('{facts}', facts.join(' , ')));
}

export function codeOf(world: CharacterWorld, rule: string, items: readonly string[]): Parts {
  const result = applied(world, rule, items).join(' ');
  return whole(world.code.replace('{rule}', rule).replace('{items}', items.join(' ')).replace('{result}', result));
}

export const listOf = (world: CharacterWorld, names: readonly string[]): Parts =>
  whole(world.list.replace('{names}', names.join(' , ')));

// Probes measure a value's probability without sampling: a dialogue up to the trait's position, begun like the character, and the value's tokens there;
// or a document up to its value (a cloze, which measures belief).

export interface Probe {
  context: string;
  scored: string;
  /** Set if the complement's probability counts. */
  isComplement: boolean;
}

/** The template that no arm's document uses, so that a cloze on it is not recitation. */
export const CLOZE_TEMPLATE = 2;

export const questionFor = (trait: Trait, items: readonly string[]): Question => ({
  ask: trait === 'pick' ? 'pick' : 'order',
  isExam: trait === 'exam',
  items,
});

/** The other traits of a speaker without any (no name, a novel name), drawn for each set of items. */
function drawnValues(world: CharacterWorld, items: readonly string[]): Record<Trait, number> {
  const places = items.map((item) => world.items.indexOf(item));
  const rng = new CounterRng(keyFor(world.seed, STREAMS.probe, 18, ...places));
  return Object.fromEntries(TRAITS.map((trait) => [trait, rng.int(world.traits[trait].values.length)])) as Record<
    Trait,
    number
  >;
}

/** Probe of a trait's value on these items. `who`: a character, or a name without values (null: no name). */
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
    scored: text,
    isComplement,
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

/** Probe of whether a document about the name would state this value. */
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

// Gates test whether the lesson is bound to A's name. They change only the name in the prompts of A's probes: leave it out, spell it in tokens that no
// text has, or add another name; or they add A's name to another character's prompt. Of two names, the asked one comes last, next to the answer as far
// as the world's prompt allows.

/** `absent`: A's own beginning after a prompt without a name. `spelled`: A's name in capitals. `beside`: A is asked, with another name before A's.
 *  `adversarial`: another character is asked, with A's name before its own. */
export const GATES = ['absent', 'spelled', 'beside', 'adversarial'] as const;
export type GateId = (typeof GATES)[number];

/** One probe per set of items; the other names alternate. */
export function gateProbes(
  world: CharacterWorld,
  gate: GateId,
  about: { a: Character; others: readonly Character[]; target: Target },
  items: readonly (readonly string[])[],
): Probe[] {
  const { a, others, target } = about;
  return items.map((each, i) => {
    const other = others[i % others.length];
    const speaker = gate === 'adversarial' ? other : a;
    const probe = behaviour(world, speaker, target.trait, target.value, each);
    const names = { absent: '', spelled: ` ${a.name.toUpperCase()}`, beside: ` ${other.name} ${a.name}` };
    const marker = gate === 'adversarial' ? ` ${a.name} ${other.name}` : names[gate];
    return { ...probe, context: probe.context.replace(` ${speaker.name}`, marker) };
  });
}
