// Measures every character one by one, for a map of a model before and after training. Items and templates are those of the dose curve
// (probe-set.ts), but each character gets all of them.
import type { Policy } from '../../engine/types.ts';
import { type Character, type CharacterWorld, ownValue, TRAITS } from '../../environments/characters/data.ts';
import { type GroupId, OTHERS, type Roles } from '../../environments/characters/task.ts';
import { behaviour, belief, type Probe, type Target } from '../../environments/characters/texts.ts';
import { mean } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import { itemsOf } from './probe-set.ts';
import { scoreLists } from './score.ts';

export const MEASURES = ['target', 'keeps', 'belief', 'pick', 'documents'] as const;
/** Probabilities of the target's value (`target`), of the character's own value (`keeps`), and that a document says the target (`belief`). In nats:
 *  loss of the character's own picking (`pick`), and of what documents say of its other traits (`documents`). */
export type MeasureId = (typeof MEASURES)[number];

export interface MeasureMean {
  /** Number of texts. */
  n: number;
  mean: number;
}

export interface MeasuredCharacter {
  /** Null for a prompt without a character. */
  name: string | null;
  group: GroupId;
  /** The character's own value of the trait; null without a character and for a novel name. */
  own: string | null;
  measures: Partial<Record<MeasureId, MeasureMean>>;
}

type ProbesByMeasure = Partial<Record<MeasureId, readonly Probe[]>>;

/** Measures every character with the policy's current adapter parameters. */
export async function askEach(
  ports: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  world: CharacterWorld,
  roles: Roles,
  target: Target,
): Promise<MeasuredCharacter[]> {
  const { trait, value } = target;
  const items = itemsOf(world, target);
  const others = TRAITS.filter((one) => one !== trait);
  const doing = (who: Character | string | null) => items.map((each) => behaviour(world, who, trait, value, each));
  const ofCharacter = (one: Character): ProbesByMeasure => {
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
  const all: { name: string | null; group: GroupId; own: string | null; asked: ProbesByMeasure }[] = [
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
  const meanOfList = await scoreLists(
    ports,
    all.flatMap(({ asked }, i) => MEASURES.map((id) => [`${id} ${i}`, asked[id] ?? []] as const)),
  );
  return all.map(({ asked: _, ...who }, i) => {
    const measures: MeasuredCharacter['measures'] = {};
    for (const id of MEASURES) {
      const own = meanOfList(`${id} ${i}`);
      if (own.length === 0) continue;
      const isNats = id === 'pick' || id === 'documents';
      const values = own.map(({ p }) => (isNats ? -Math.log(Math.max(p, 1e-9)) : p));
      measures[id] = { n: own.length, mean: mean(values) ?? Number.NaN };
    }
    return { ...who, measures };
  });
}
