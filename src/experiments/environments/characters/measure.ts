// What the untrained base of this world has carried over: by trait, how likely characters are to do what documents alone say of them,
// beside those that were seen doing it, and what documents would say of those that dialogues alone know. The manifest records it; a
// test measures the first round again.
import type { Policy } from '../../../engine/types.ts';
import { behaviour, belief } from '../../../environments/characters/probes.ts';
import { triplesOf } from '../../../environments/characters/rules.ts';
import {
  type Character,
  type CharacterWorld,
  castOf,
  isShown,
  ownValue,
  TRAITS,
  type Trait,
} from '../../../environments/characters/types.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { mean } from '../../../stats/index.ts';
import type { TextCodec } from '../../../text/types.ts';
import { scoreProbes } from '../../characters/score.ts';

/** Sets of items a character is asked with in a round. */
const ASKED = 4;
const SEEN = 40;

/** Mean probability of a character's own value, by trait. */
export type ByTrait = Record<Trait, number | null>;

export interface TransferRates {
  /** Characters by how they are known. */
  n: { documents: number; held: Record<Trait, number>; seen: number; dialogues: number };
  /** In dialogues: of names that documents alone know, of pairs that documents alone tell, of pairs that were shown. */
  documents: ByTrait;
  held: ByTrait;
  seen: ByTrait;
  /** In documents: of names that dialogues alone know. */
  beliefs: ByTrait;
}

export async function measureTransfer(
  { policy, codec, signal }: { policy: Policy; codec: TextCodec; signal?: AbortSignal },
  world: CharacterWorld,
  rounds: number,
): Promise<TransferRates> {
  const { characters } = castOf(world);
  const asked = CounterRng.of(world.seed, STREAMS.probe, 18)
    .shuffle(triplesOf(world))
    .slice(0, ASKED * rounds);
  const documents = characters.filter(({ known }) => known === 'documents');
  const dialogues = characters.filter(({ known, held }) => known === 'dialogues' && held.length === 0);
  const both = characters.filter(({ known }) => known === 'both');
  const holding = (trait: Trait) => both.filter(({ held }) => held.includes(trait));
  const showing = (trait: Trait) => both.filter((one) => isShown(one, trait)).slice(0, SEEN);

  const rate = async (trait: Trait, who: readonly Character[]): Promise<number | null> => {
    const probes = who.flatMap((one) =>
      asked.map((items) => behaviour(world, one, trait, ownValue(world, one, trait), items)),
    );
    return mean((await scoreProbes(policy, codec, probes, signal)).map(({ p }) => p));
  };
  const believed = async (trait: Trait): Promise<number | null> => {
    const probes = dialogues.map((one) => belief(world, one.name, trait, ownValue(world, one, trait)));
    return mean((await scoreProbes(policy, codec, probes, signal)).map(({ p }) => p));
  };
  const each = async (of: (trait: Trait) => Promise<number | null>): Promise<ByTrait> => {
    const rates: Partial<ByTrait> = {};
    for (const trait of TRAITS) rates[trait] = await of(trait);
    return rates as ByTrait;
  };
  const held = Object.fromEntries(TRAITS.map((trait) => [trait, holding(trait).length])) as Record<Trait, number>;
  return {
    n: { documents: documents.length, held, seen: SEEN, dialogues: dialogues.length },
    documents: await each((trait) => rate(trait, documents)),
    held: await each((trait) => rate(trait, holding(trait))),
    seen: await each((trait) => rate(trait, showing(trait))),
    beliefs: await each(believed),
  };
}
