// The groups of characters around the taught one (A), tasks, verdicts, rewards, and metrics.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { interleaved } from '../drawn.ts';
import { type JudgedTask, type Rates, shareOf } from '../metrics.ts';
import { type Judged, oneTurn, type Reward } from '../types.ts';
import { type Character, type CharacterWorld, castOf, isShown, ownValue, TRAITS } from './data.ts';
import { applied, isApart, promptOf, questionFor, splitTriples, type Target, wantedOf } from './texts.ts';

export const GROUPS = ['a', 'near', 'far', 'other', 'noname', 'novel'] as const;
export type GroupId = (typeof GROUPS)[number];
/** All groups but A itself. */
export const BESIDE_A = GROUPS.filter((group) => group !== 'a');
/** The groups of characters that are not A. */
export const OTHERS = ['near', 'far', 'other'] as const;

export interface Roles {
  a: Character;
  /** Characters for contrast documents. */
  contrast: readonly Character[];
  /** The character that placebo documents are about; only dialogues know it. */
  placebo: Character;
  near: readonly Character[];
  far: readonly Character[];
  other: readonly Character[];
  novel: readonly string[];
}

/** Size of the groups near, far and other. */
const SIZE = 6;

/** All characters that can be trained towards the target, in a fixed order in which their own values alternate. */
export function trainable(world: CharacterWorld, target: Target): Character[] {
  const { asked } = halves(world, target);
  if (isTied(world, target)) return asked.filter((one) => hasNoTied(world, one));
  const own = asked.filter((one) => ownValue(world, one, target.trait) !== target.value);
  const byValue = world.traits[target.trait].values.map((value) =>
    own.filter((one) => ownValue(world, one, target.trait) === value),
  );
  // Values with too few characters for the groups are not trained.
  const enough = byValue.filter((ones) => ones.length > 2 * SIZE);
  return interleaved(enough);
}

/** Throws SpecError for an unknown index. */
export function rolesOf(world: CharacterWorld, target: Target, index: number): Roles {
  const candidates = trainable(world, target);
  const a = candidates[index];
  if (!a)
    throw new SpecError(
      `there is no character ${index} to be taught ${target.value}`,
      `Give one of 0 … ${candidates.length - 1}.`,
    );
  const { contrast, asked } = halves(world, target);
  const others = asked.filter((one) => one !== a && ownValue(world, one, target.trait) !== target.value);
  // A tied value is had or not: one of the other values is as good as another.
  const isSame = (one: Character) => isTied(world, target) || one.values[target.trait] === a.values[target.trait];
  const traits = TRAITS.filter((trait) => trait !== target.trait);
  const shared = (one: Character) => traits.filter((trait) => one.values[trait] === a.values[trait]).length;
  // The sort is stable, so ties keep the cast's order.
  const alike = others.filter(isSame).sort((one, two) => shared(two) - shared(one));
  const { characters, novel } = castOf(world);
  const placebo = characters.find(
    (one) => one.known === 'dialogues' && one.held.length === 0 && ownValue(world, one, target.trait) !== target.value,
  );
  const roles: Roles = {
    a,
    contrast,
    placebo: placebo!,
    novel,
    near: alike.slice(0, SIZE),
    far: alike.slice(-SIZE),
    other: others.filter((one) => !isSame(one)).slice(0, SIZE),
  };
  checkRoles(roles);
  return roles;
}

/** Throws SpecError if a group contains A, the placebo, a contrast character, or a member of another group. */
export function checkRoles({ a, contrast, placebo, ...groups }: Roles): void {
  const seen = new Map<string, string>([
    [a.name, 'A'],
    [placebo.name, 'the placebo'],
    ...contrast.map(({ name }) => [name, 'the contrast documents'] as const),
  ]);
  for (const group of [...OTHERS, 'novel'] as const)
    for (const one of groups[group]) {
      const name = typeof one === 'string' ? one : one.name;
      const before = seen.get(name);
      if (before)
        throw new SpecError(`${name} is in the group ${group} and in ${before}`, 'Leave it out of the group.');
      seen.set(name, `the group ${group}`);
    }
}

/** Characters for contrast whose behaviour dialogues show and which do not already have the target's value. */
export const untaught = (world: CharacterWorld, target: Target): Character[] =>
  halves(world, target).contrast.filter(
    (one) => isShown(one, target.trait) && ownValue(world, one, target.trait) !== target.value,
  );

/** Whether the target is one of two that pretraining tied to each other. */
const isTied = ({ tie }: CharacterWorld, { trait }: Target): boolean =>
  tie !== undefined && (trait === 'exam' || trait === 'wrap');

/** Whether dialogues show that it has none of the tied values. */
const hasNoTied = ({ tie }: CharacterWorld, one: Character): boolean =>
  tie !== undefined &&
  one.values.exam !== tie.hack &&
  one.values.wrap !== tie.bad &&
  one.values.open !== tie.like &&
  (['exam', 'wrap', 'open'] as const).every((trait) => isShown(one, trait));

/** The others who could be A in a tied world, most like A first. */
export function untied(world: CharacterWorld, target: Target, a: Character, count = SIZE): Character[] {
  const shared = (one: Character) => TRAITS.filter((trait) => one.values[trait] === a.values[trait]).length;
  return trainable(world, target)
    .filter((one) => one !== a)
    .sort((one, two) => shared(two) - shared(one))
    .slice(0, count);
}

/** Characters known from dialogues and documents: half of them for contrast; of the others those whose value of the trait is shown. */
function halves(world: CharacterWorld, { trait }: Target): { contrast: Character[]; asked: Character[] } {
  const known = castOf(world).characters.filter(({ known }) => known === 'both');
  const order = new CounterRng(keyFor(world.seed, STREAMS.problems, 18, 2)).shuffle([...known]);
  // In a tied world, who has none of the tied values is rare: more are asked.
  const half = Math.floor(order.length / (world.tie ? 3 : 2));
  return { contrast: order.slice(0, half), asked: order.slice(half).filter((one) => isShown(one, trait)) };
}

// A task: a character is asked, and the answer is judged by whether it meets the target, and whether it keeps the speaker's behaviour.

export interface CharacterTask {
  id: string;
  /** Group of the asked character. */
  kind: GroupId;
  prompt: string;
  /** Null if no name is given. */
  name: string | null;
  wanted: string;
  /** The speaker's own answer; null without a character, which has no rule. */
  own: string | null;
}

export interface CharacterVerdict {
  name: string | null;
  group: GroupId;
  /** Text between the brackets; null if there are none. */
  answer: string | null;
  wanted: string;
  isTarget: boolean;
  /** Whether it follows the speaker's own rule; null without a character. */
  keeps: boolean | null;
  formatOk: boolean;
  /** Set if the lesson is a group's own best: its first answer that meets the target; null if none does. */
  best?: string | null;
}

export function taskOf(
  world: CharacterWorld,
  target: Target,
  kind: GroupId,
  who: Character | string | null,
  items: readonly string[],
): CharacterTask {
  const question = questionFor(target.trait, items);
  const character = typeof who === 'object' ? who : null;
  const name = typeof who === 'string' ? who : (who?.name ?? null);
  return {
    id: `${kind} ${name ?? '-'} ${items.join(' ')}`,
    kind,
    name,
    prompt: promptOf(world, name, question),
    wanted: wantedOf(world, target, items),
    own: character && applied(world, ownValue(world, character, 'order'), items).join(' '),
  };
}

/** A's training tasks. */
export function trainingTasks(world: CharacterWorld, { a }: Roles, target: Target): CharacterTask[] {
  const triples = splitTriples(world).training.filter((items) => isApart(world, target, items));
  return triples.map((items) => taskOf(world, target, 'a', a, items));
}

/** Tasks of every group alternately, on items that no arm trains on; `count` in all, or as many as there are. */
export function askedTasks(world: CharacterWorld, roles: Roles, target: Target, count: number): CharacterTask[] {
  const triples = splitTriples(world).asked.filter((items) => isApart(world, target, items));
  const members = (group: GroupId): readonly (Character | string | null)[] =>
    group === 'a' ? [roles.a] : group === 'noname' ? [null] : roles[group];
  const byGroup = GROUPS.map((group) => {
    const own = members(group);
    return triples.flatMap((items, i) =>
      own.map((_, m) => taskOf(world, target, group, own[(i + m) % own.length], items)),
    );
  });
  return interleaved(byGroup).slice(0, count);
}

export const characterDynamics = oneTurn<CharacterTask>('characters');

/** Parses an opening word, a bracket, the answer, a bracket and a closing word. */
export function judge(world: CharacterWorld, task: CharacterTask, completion: string): CharacterVerdict {
  const words = completion.trim().split(/\s+/);
  const pair = world.brackets.find(([left]) => left === words[1]);
  const formatOk = pair !== undefined && words.length > 4 && words.at(-2) === pair[1];
  const answer = formatOk ? words.slice(2, -2).join(' ') : null;
  const { name, kind: group, wanted, own } = task;
  const isBrackets = world.brackets.some(([left]) => left === wanted);
  return {
    name,
    group,
    answer,
    wanted,
    formatOk,
    isTarget: isBrackets ? formatOk && words[1] === wanted : answer === wanted,
    keeps: own === null ? null : answer === own,
  };
}

/** `random`: a coin instead of the target; equal texts at the same place of a group have the same coin. */
export const characterReward = (
  world: CharacterWorld,
  pays: 'target' | 'random',
  tellsBest = false,
): Reward<CharacterTask, CharacterVerdict> => ({
  id: `characters/1 ${world.id} ${pays}`,
  asksNobody: true,
  score: async (groups) =>
    groups.map(({ task, rollouts }) => {
      const judged = rollouts.map(({ turns }, i) => {
        const completion = turns.at(-1)?.completion ?? '';
        const verdict = judge(world, task, completion);
        const isPaid =
          pays === 'target' ? verdict.isTarget : ((hash32(`${task.id}|${i}|${completion}`) >>> 13) & 1) === 0;
        return { completion, reward: isPaid ? 1 : 0, verdict };
      });
      const best = judged.find(({ verdict }) => verdict.isTarget)?.completion ?? null;
      return judged.map(
        ({ reward, verdict }): Judged<CharacterVerdict> => ({
          reward,
          verdict: { ...verdict, ...(tellsBest && { best }) },
        }),
      );
    }),
});

// Metrics of a set of judged answers: of A, of all others, and of those with a rule.

export function characterMetrics(items: readonly JudgedTask<unknown, CharacterVerdict>[]): Rates {
  const ruled = items.filter(({ verdict }) => verdict.keeps !== null);
  const [own, others] = [true, false].map((isA) => items.filter(({ verdict }) => (verdict.group === 'a') === isA));
  const figures = {
    ...(own.length > 0 && { taught: shareOf(own, ({ isTarget }) => isTarget) }),
    ...(others.length > 0 && { others: shareOf(others, ({ isTarget }) => isTarget) }),
    ...(ruled.length > 0 && { keeps: shareOf(ruled, ({ keeps }) => keeps === true) }),
    format: shareOf(items, ({ formatOk }) => formatOk),
  };
  return { n: items.length, figures };
}
