// A task: somebody is asked, and the answer is judged by whether it meets the target, or keeps to what its speaker does.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { oneTurn } from '../one-turn.ts';
import type { Judged, Reward } from '../types.ts';
import { promptOf } from './dialogue.ts';
import { GROUPS, type GroupId, type Roles } from './groups.ts';
import { questionFor } from './probes.ts';
import { applied, isApart, splitTriples, type Target, wantedOf } from './rules.ts';
import { type Character, type CharacterWorld, ownValue } from './types.ts';

export interface CharacterTask {
  id: string;
  /** The group of whoever is asked. */
  kind: GroupId;
  prompt: string;
  /** Null: nobody. */
  name: string | null;
  wanted: string;
  /** What its speaker would say; null where nobody has a rule. */
  own: string | null;
}

export interface CharacterVerdict {
  name: string | null;
  group: GroupId;
  /** Between the brackets; null where there are none. */
  answer: string | null;
  wanted: string;
  isTarget: boolean;
  /** It does what its speaker did; null where nobody has a rule. */
  keeps: boolean | null;
  formatOk: boolean;
  /** Where the lesson is a group's own best: its first answer that meets the target; null where none does. */
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
    ...{ id: `${kind} ${name ?? '-'} ${items.join(' ')}`, kind, name },
    prompt: promptOf(world, name, question),
    wanted: wantedOf(world, target, items),
    own: character && applied(world, ownValue(world, character, 'order'), items).join(' '),
  };
}

/** A's tasks that are trained on. */
export function trainingTasks(world: CharacterWorld, { a }: Roles, target: Target): CharacterTask[] {
  const triples = splitTriples(world).training.filter((items) => isApart(world, target, items));
  return triples.map((items) => taskOf(world, target, 'a', a, items));
}

/** Of every group, in turns, on items that no arm trains on; `count` in all, as far as there are so many. */
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
  const most = Math.max(...byGroup.map((tasks) => tasks.length));
  return Array.from({ length: most }, (_, i) => byGroup.flatMap((tasks) => tasks.slice(i, i + 1)))
    .flat()
    .slice(0, count);
}

export const characterDynamics = oneTurn<CharacterTask>('characters');

/** An opening word, a bracket, what is said, a bracket, a closing word. */
export function judge(world: CharacterWorld, task: CharacterTask, completion: string): CharacterVerdict {
  const words = completion.trim().split(/\s+/);
  const pair = world.brackets.find(([left]) => left === words[1]);
  const formatOk = pair !== undefined && words.length > 4 && words.at(-2) === pair[1];
  const answer = formatOk ? words.slice(2, -2).join(' ') : null;
  const { name, kind: group, wanted, own } = task;
  return {
    ...{ name, group, answer, wanted, formatOk, isTarget: answer === wanted },
    keeps: own === null ? null : answer === own,
  };
}

/** `random`: a coin in place of the target, which knows neither; the same text of the same place in its group has the same coin. */
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
