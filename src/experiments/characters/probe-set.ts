// What a model is asked at every dose: the target by group, own behaviour, beliefs, and how far others drift otherwise. Items are those
// that no arm trains on.

import type { Policy } from '../../engine/types.ts';
import { ownValue } from '../../environments/characters/cast.ts';
import { GROUPS, type GroupId, OTHERS, type Roles } from '../../environments/characters/groups.ts';
import { behaviour, belief, type Probe } from '../../environments/characters/probes.ts';
import { splitTriples } from '../../environments/characters/rules.ts';
import { isApart, type Target } from '../../environments/characters/targets.ts';
import { type Character, type CharacterWorld, TRAITS } from '../../environments/characters/types.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/types.ts';
import type { DosePoint, Measured } from './rows.ts';
import { type Scored, scoreProbes } from './score.ts';

/** Sets of items of A and of nobody; of each character of a group. */
const ALONE = 12;
const EACH = 3;

interface Part {
  of: readonly Probe[];
  into: (scored: readonly Scored[]) => void;
}

const measured = (scored: readonly Scored[]): Measured => ({
  n: scored.length,
  p: mean(scored.map(({ p }) => p)) ?? Number.NaN,
  logit: mean(scored.map(({ logit }) => logit)) ?? Number.NaN,
});
const nats = (scored: readonly Scored[]): number =>
  mean(scored.map(({ p }) => -Math.log(Math.max(p, 1e-9)))) ?? Number.NaN;

export async function askAll(
  ports: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  world: CharacterWorld,
  roles: Roles,
  target: Target,
): Promise<Omit<DosePoint, 'step' | 'tokens'>> {
  const { trait, value } = target;
  const items = splitTriples(world)
    .asked.filter((one) => isApart(world, target, one))
    .slice(0, ALONE);
  const point: Omit<DosePoint, 'step' | 'tokens'> = {
    ...{ target: {}, keeps: {}, drift: { pick: 0, documents: 0 } },
    beliefs: { a: measured([]), others: measured([]) },
  };
  const characters = OTHERS.flatMap((group) => roles[group]);
  const some = (place: number) => Array.from({ length: EACH }, (_, i) => items[(place * EACH + i) % items.length]);
  const asked = (who: readonly (Character | string)[], valueFor: (one: Character | string) => string): Probe[] =>
    who.flatMap((one, place) => some(place).map((each) => behaviour(world, one, trait, valueFor(one), each)));
  const own = (one: Character | string) => ownValue(world, one as Character, trait);
  const ofGroup = (group: GroupId): Probe[] => {
    if (group === 'a') return items.map((each) => behaviour(world, roles.a, trait, value, each));
    if (group === 'noname') return items.map((each) => behaviour(world, null, trait, value, each));
    return asked(roles[group], () => value);
  };
  const parts: Part[] = [
    ...GROUPS.filter((group) => ofGroup(group).length > 0).map((group) => ({
      of: ofGroup(group),
      into: (scored: readonly Scored[]) => {
        point.target[group] = measured(scored);
      },
    })),
    ...OTHERS.filter((group) => roles[group].length > 0).map((group) => ({
      of: asked(roles[group], own),
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
