// What a model is asked at every dose: the target by group, own behaviour, beliefs, and how far others drift otherwise. Items are those
// that no arm trains on.

import type { Policy } from '../../engine/types.ts';
import { type Character, type CharacterWorld, ownValue, TRAITS } from '../../environments/characters/data.ts';
import { GROUPS, type GroupId, OTHERS, type Roles } from '../../environments/characters/task.ts';
import {
  behaviour,
  belief,
  GATES,
  gateProbes,
  isApart,
  type Probe,
  splitTriples,
  type Target,
} from '../../environments/characters/texts.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import type { DosePoint, ProbeMeans } from './rows.ts';
import { type Scored, scoreProbes } from './score.ts';

/** Sets of items of A and of nobody; of each character of a group. */
const ALONE = 12;
const EACH = 3;

interface Part {
  of: readonly Probe[];
  into: (scored: readonly Scored[]) => void;
}

const measured = (scored: readonly Scored[]): ProbeMeans => ({
  n: scored.length,
  p: mean(scored.map(({ p }) => p)) ?? Number.NaN,
  logit: mean(scored.map(({ logit }) => logit)) ?? Number.NaN,
});
const nats = (scored: readonly Scored[]): number =>
  mean(scored.map(({ p }) => -Math.log(Math.max(p, 1e-9)))) ?? Number.NaN;

/** On which the target shows, and no arm trains. */
const itemsOf = (world: CharacterWorld, target: Target): string[][] =>
  splitTriples(world)
    .asked.filter((one) => isApart(world, target, one))
    .slice(0, ALONE);

/** Each with items of its own place. */
const asked = (
  world: CharacterWorld,
  target: Target,
  who: readonly (Character | string)[],
  valueFor: (one: Character | string) => string,
): Probe[] => {
  const items = itemsOf(world, target);
  const some = (place: number) => Array.from({ length: EACH }, (_, i) => items[(place * EACH + i) % items.length]);
  return who.flatMap((one, place) =>
    some(place).map((each) => behaviour(world, one, target.trait, valueFor(one), each)),
  );
};

/** How likely the target is of a group; empty where nobody is in it. */
export function targetProbes(world: CharacterWorld, roles: Roles, target: Target, group: GroupId): Probe[] {
  const { trait, value } = target;
  const alone = (who: Character | null) =>
    itemsOf(world, target).map((each) => behaviour(world, who, trait, value, each));
  if (group === 'a') return alone(roles.a);
  if (group === 'noname') return alone(null);
  return asked(world, target, roles[group], () => value);
}

/** What is asked besides. */
export interface Besides {
  /** With A's name changed. */
  gates?: boolean;
  /** Somebody who is in no group. */
  b?: Character;
  /** Of a target that shows in exams: the same prompts, which are none. */
  plain?: boolean;
}

/** The same probe of a prompt that is no exam. */
const plainly = (world: CharacterWorld, probe: Probe): Probe => {
  const [plain, exam] = world.modes;
  return { ...probe, context: probe.context.replace(` ${exam} `, ` ${plain} `) };
};

export async function askAll(
  ports: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  world: CharacterWorld,
  roles: Roles,
  target: Target,
  { gates = false, plain = false, b }: Besides = {},
): Promise<Omit<DosePoint, 'step' | 'tokens'>> {
  const { trait, value } = target;
  const items = itemsOf(world, target);
  const point: Omit<DosePoint, 'step' | 'tokens'> = {
    target: {},
    keeps: {},
    drift: { pick: 0, documents: 0 },
    beliefs: { a: measured([]), others: measured([]) },
  };
  const characters = OTHERS.flatMap((group) => roles[group]);
  const own = (one: Character | string) => ownValue(world, one as Character, trait);
  const parts: Part[] = [
    ...GROUPS.map((group) => ({ group, of: targetProbes(world, roles, target, group) }))
      .filter(({ of }) => of.length > 0)
      .map(({ group, of }) => ({
        of,
        into: (scored: readonly Scored[]) => {
          point.target[group] = measured(scored);
        },
      })),
    ...OTHERS.filter((group) => roles[group].length > 0).map((group) => ({
      of: asked(world, target, roles[group], own),
      into: (scored: readonly Scored[]) => {
        point.keeps[group] = measured(scored);
      },
    })),
    {
      of: [belief(world, roles.a.name, trait, value)],
      into: (scored) => {
        point.beliefs.a = measured(scored);
      },
    },
    {
      of: characters.map(({ name }) => belief(world, name, trait, value)),
      into: (scored) => {
        point.beliefs.others = measured(scored);
      },
    },
    {
      of: characters.map((one, i) =>
        behaviour(world, one, 'pick', ownValue(world, one, 'pick'), items[i % items.length]),
      ),
      into: (scored) => {
        point.drift.pick = nats(scored);
      },
    },
    {
      of: characters.flatMap((one) =>
        TRAITS.filter((other) => other !== trait).map((other) =>
          belief(world, one.name, other, ownValue(world, one, other)),
        ),
      ),
      into: (scored) => {
        point.drift.documents = nats(scored);
      },
    },
    ...(b
      ? [
          {
            of: items.map((each) => behaviour(world, b, trait, value, each)),
            into: (scored: readonly Scored[]) => {
              point.b = { target: measured(scored), belief: measured([]) };
            },
          },
          {
            of: [belief(world, b.name, trait, own(b))],
            into: (scored: readonly Scored[]) => {
              point.b = { ...point.b!, belief: measured(scored) };
            },
          },
        ]
      : []),
    ...(plain ? GROUPS : [])
      .map((group) => ({ group, of: targetProbes(world, roles, target, group).map((one) => plainly(world, one)) }))
      .filter(({ of }) => of.length > 0)
      .map(({ group, of }) => ({
        of,
        into: (scored: readonly Scored[]) => {
          point.plain = { ...point.plain, [group]: measured(scored) };
        },
      })),
    ...(gates ? GATES : []).map((gate) => ({
      of: gateProbes(world, gate, { a: roles.a, others: roles.near, target }, items),
      into: (scored: readonly Scored[]) => {
        point.gates = { ...point.gates, [gate]: measured(scored) };
      },
    })),
  ];
  const { policy, codec, signal } = ports;
  const all = await scoreProbes(
    policy,
    codec,
    parts.flatMap(({ of }) => of),
    signal,
  );
  let from = 0;
  for (const { of, into } of parts) {
    into(all.slice(from, from + of.length));
    from += of.length;
  }
  return point;
}
