// Everybody who is asked, one by one: what a map of characters shows of a model, before and after. The same items and templates as the
// dose curve's (probe-set.ts), but all of them for each character.
import type { Policy } from '../../engine/types.ts';
import { type Character, type CharacterWorld, ownValue, TRAITS } from '../../environments/characters/data.ts';
import { type GroupId, OTHERS, type Roles } from '../../environments/characters/task.ts';
import {
  behaviour,
  belief,
  isApart,
  type Probe,
  splitTriples,
  type Target,
} from '../../environments/characters/texts.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import { scoreProbes } from './score.ts';

/** Sets of items that each is asked with. */
const ITEMS = 12;

export const MEASURES = ['target', 'keeps', 'belief', 'pick', 'documents'] as const;
/** Probabilities: of the target's value, of their own, that a document says the target; and nats: of their own picking, of what
 *  documents say of their other traits. */
export type MeasureId = (typeof MEASURES)[number];

export interface AskedMeasure {
  /** Texts. */
  n: number;
  mean: number;
}

export interface AskedOne {
  /** Null: nobody. */
  name: string | null;
  group: GroupId;
  /** What it does by itself; null of nobody and of a novel name. */
  own: string | null;
  measures: Partial<Record<MeasureId, AskedMeasure>>;
}

/** Sets of items on which the target shows, of those that no arm trains on. */
export const askedItems = (world: CharacterWorld, target: Target): string[][] =>
  splitTriples(world)
    .asked.filter((items) => isApart(world, target, items))
    .slice(0, ITEMS);

type Asked = Partial<Record<MeasureId, readonly Probe[]>>;

/** With the adapter parameters that the policy has. */
export async function askEach(
  ports: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  world: CharacterWorld,
  roles: Roles,
  { trait, value, ...rest }: Target,
): Promise<AskedOne[]> {
  const items = askedItems(world, { trait, value, ...rest });
  const others = TRAITS.filter((one) => one !== trait);
  const doing = (who: Character | string | null) => items.map((each) => behaviour(world, who, trait, value, each));
  const ofCharacter = (one: Character): Asked => {
    const own = (of: (typeof TRAITS)[number]) => ownValue(world, one, of);
    return {
      target: doing(one),
      keeps: items.map((each) => behaviour(world, one, trait, own(trait), each)),
      belief: [belief(world, one.name, trait, value)],
      pick: items.map((each) => behaviour(world, one, 'pick', own('pick'), each)),
      documents: others.map((other) => belief(world, one.name, other, own(other))),
    };
  };
  const character = (one: Character, group: GroupId) => ({
    name: one.name,
    group,
    own: ownValue(world, one, trait),
    asked: ofCharacter(one),
  });
  const all: { name: string | null; group: GroupId; own: string | null; asked: Asked }[] = [
    character(roles.a, 'a'),
    ...OTHERS.flatMap((group) => roles[group].map((one) => character(one, group))),
    { name: null, group: 'noname', own: null, asked: { target: doing(null) } },
    ...roles.novel.map((name) => ({
      name,
      group: 'novel' as const,
      own: null,
      asked: { target: doing(name), belief: [belief(world, name, trait, value)] },
    })),
  ];
  const probes = all.flatMap(({ asked }) => MEASURES.flatMap((id) => asked[id] ?? []));
  const scored = await scoreProbes(ports.policy, ports.codec, probes, ports.signal);
  let from = 0;
  return all.map(({ asked, ...who }) => {
    const measures: AskedOne['measures'] = {};
    for (const id of MEASURES) {
      const count = asked[id]?.length ?? 0;
      if (count === 0) continue;
      const own = scored.slice(from, from + count);
      from += count;
      const isNats = id === 'pick' || id === 'documents';
      const values = own.map(({ p }) => (isNats ? -Math.log(Math.max(p, 1e-9)) : p));
      measures[id] = { n: count, mean: mean(values) ?? Number.NaN };
    }
    return { ...who, measures };
  });
}
