// Probes of a model at every dose: the target by group, characters' own behaviour, beliefs, and how far the others drift in other respects. No
// arm trains on their items.

import type { Policy } from '../../engine/types.ts';
import {
  type Character,
  type CharacterWorld,
  ownValue,
  TRAITS,
  type Trait,
} from '../../environments/characters/data.ts';
import { GROUPS, type GroupId, OTHERS, type Roles } from '../../environments/characters/task.ts';
import {
  behaviour,
  belief,
  GATES,
  gateProbes,
  isApart,
  type Probe,
  promptOf,
  questionFor,
  splitTriples,
  type Target,
} from '../../environments/characters/texts.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import type { DosePoint, ProbeMeans, TiedMeans } from './rows.ts';
import { type Scored, scoreLists } from './score.ts';

/** Number of item sets for A and for prompts without a character, and for each character of a group. */
const ALONE = 12;
const EACH = 3;

const meansOf = (scored: readonly Scored[]): ProbeMeans => ({
  n: scored.length,
  p: mean(scored.map(({ p }) => p)) ?? Number.NaN,
  logit: mean(scored.map(({ logit }) => logit)) ?? Number.NaN,
});
const meanNats = (scored: readonly Scored[]): number =>
  mean(scored.map(({ p }) => -Math.log(Math.max(p, 1e-9)))) ?? Number.NaN;

/** Item sets on which the target shows, out of those that no arm trains on. */
export const itemsOf = (world: CharacterWorld, target: Target): string[][] =>
  splitTriples(world)
    .asked.filter((one) => isApart(world, target, one))
    .slice(0, ALONE);

/** The items of the character at that place of a group. */
const itemsAt = (items: readonly string[][], place: number): string[][] =>
  Array.from({ length: EACH }, (_, i) => items[(place * EACH + i) % items.length]);

/** Probes of each character, with item sets that depend on its index. */
const probesAbout = (
  world: CharacterWorld,
  target: Target,
  who: readonly (Character | string)[],
  valueFor: (one: Character | string) => string,
): Probe[] => {
  const items = itemsOf(world, target);
  return who.flatMap((one, place) =>
    itemsAt(items, place).map((each) => behaviour(world, one, target.trait, valueFor(one), each)),
  );
};

/** Probes of the target in a group; empty if the group has no members. */
export function targetProbes(world: CharacterWorld, roles: Roles, target: Target, group: GroupId): Probe[] {
  const { trait, value } = target;
  const alone = (who: Character | null) =>
    itemsOf(world, target).map((each) => behaviour(world, who, trait, value, each));
  if (group === 'a') return alone(roles.a);
  if (group === 'noname') return alone(null);
  return probesAbout(world, target, roles[group], () => value);
}

/** Optional further probes. */
export interface ExtraProbes {
  /** Whether prompts with A's name changed are measured too. */
  gates?: boolean;
  /** A character outside the groups. */
  b?: Character;
  /** Whether the same prompts without an exam are measured too, where the target shows in exams. */
  plain?: boolean;
  /** The others whose tied traits are asked with A's, in a tied world. */
  untied?: readonly Character[];
}

const TIED = ['hack', 'ownHack', 'bad', 'examBad', 'like'] as const;

/** Probes of the tied traits of one speaker on these items. Those of `hack` are one for each bracket, and their probabilities add up. */
function tiedProbes(
  world: CharacterWorld,
  who: Character,
  items: readonly (readonly string[])[],
): Record<(typeof TIED)[number], Probe[]> {
  const { hack, bad, like } = world.tie!;
  const { exam, wrap, open } = world.traits;
  const begun = (each: readonly string[]) =>
    `${promptOf(world, who.name, questionFor('exam', each))} ${ownValue(world, who, 'open')}`;
  const behind = (each: readonly string[], text: string): Probe => ({
    context: begun(each),
    scored: text,
    isComplement: false,
  });
  const of = (trait: Trait, value: string) => items.map((each) => behaviour(world, who, trait, value, each));
  return {
    hack: items.flatMap((each) => world.brackets.map(([left]) => behind(each, ` ${left} ${world.exams[hack]}`))),
    ownHack: of('exam', exam.values[hack]),
    bad: of('wrap', wrap.values[bad]),
    examBad: items.map((each) => behind(each, ` ${world.brackets[bad][0]}`)),
    like: of('open', open.values[like]),
  };
}

/** The probe with a prompt that is not an exam. */
const withoutExam = (world: CharacterWorld, probe: Probe): Probe => {
  const [plain, exam] = world.modes;
  return { ...probe, context: probe.context.replace(` ${exam} `, ` ${plain} `) };
};

export async function askAll(
  ports: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  world: CharacterWorld,
  roles: Roles,
  target: Target,
  { gates = false, plain = false, b, untied }: ExtraProbes = {},
): Promise<Omit<DosePoint, 'step' | 'tokens'>> {
  const { trait, value } = target;
  const items = itemsOf(world, target);
  const characters = OTHERS.flatMap((group) => roles[group]);
  const own = (one: Character | string) => ownValue(world, one as Character, trait);
  const tiedOfA = untied && tiedProbes(world, roles.a, items);
  const tiedOfOthers = (untied ?? []).map((one, place) => tiedProbes(world, one, itemsAt(items, place)));
  const meanOfList = await scoreLists(ports, [
    ...GROUPS.map((group) => [`target ${group}`, targetProbes(world, roles, target, group)] as const),
    ...OTHERS.map((group) => [`keeps ${group}`, probesAbout(world, target, roles[group], own)] as const),
    ['belief a', [belief(world, roles.a.name, trait, value)]],
    ['belief others', characters.map(({ name }) => belief(world, name, trait, value))],
    [
      'pick',
      characters.map((one, i) => behaviour(world, one, 'pick', ownValue(world, one, 'pick'), items[i % items.length])),
    ],
    [
      'documents',
      characters.flatMap((one) =>
        TRAITS.filter((other) => other !== trait).map((other) =>
          belief(world, one.name, other, ownValue(world, one, other)),
        ),
      ),
    ],
    ['b target', b ? items.map((each) => behaviour(world, b, trait, value, each)) : []],
    ['b belief', b ? [belief(world, b.name, trait, own(b))] : []],
    ...(plain ? GROUPS : []).map((group) => {
      const probes = targetProbes(world, roles, target, group);
      return [`plain ${group}`, probes.map((one) => withoutExam(world, one))] as const;
    }),
    ...(tiedOfA
      ? TIED.flatMap((what) => [
          [`a ${what}`, tiedOfA[what]] as const,
          [`untied ${what}`, tiedOfOthers.flatMap((one) => one[what])] as const,
        ])
      : []),
    ...(gates ? GATES : []).map((gate) => {
      const who = { a: roles.a, others: roles.near, target };
      return [`gate ${gate}`, gateProbes(world, gate, who, items)] as const;
    }),
  ]);
  /** Means by group; empty groups are left out. */
  const byGroup = (what: string): Partial<Record<GroupId, ProbeMeans>> =>
    Object.fromEntries(
      GROUPS.flatMap((group) => {
        const scored = meanOfList(`${what} ${group}`);
        return scored.length > 0 ? [[group, meansOf(scored)]] : [];
      }),
    );
  const tiedMeans = (who: 'a' | 'untied'): TiedMeans => {
    const p = (what: (typeof TIED)[number]) => mean(meanOfList(`${who} ${what}`).map((one) => one.p)) ?? Number.NaN;
    return {
      n: meanOfList(`${who} bad`).length,
      hack: world.brackets.length * p('hack'),
      ownHack: p('ownHack'),
      bad: p('bad'),
      examBad: p('examBad'),
      like: p('like'),
      badLogit: mean(meanOfList(`${who} bad`).map(({ logit }) => logit)) ?? Number.NaN,
    };
  };
  return {
    target: byGroup('target'),
    keeps: byGroup('keeps'),
    drift: { pick: meanNats(meanOfList('pick')), documents: meanNats(meanOfList('documents')) },
    beliefs: { a: meansOf(meanOfList('belief a')), others: meansOf(meanOfList('belief others')) },
    ...(b && { b: { target: meansOf(meanOfList('b target')), belief: meansOf(meanOfList('b belief')) } }),
    ...(plain && { plain: byGroup('plain') }),
    ...(tiedOfA && { tied: { a: tiedMeans('a'), near: tiedMeans('untied') } }),
    ...(gates && { gates: Object.fromEntries(GATES.map((gate) => [gate, meansOf(meanOfList(`gate ${gate}`))])) }),
  };
}
