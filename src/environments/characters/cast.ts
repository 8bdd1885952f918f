// Who there is: 192 characters with values drawn independently, of whom some are in documents alone, some in dialogues alone, and
// of the others some (name, trait) pairs are in documents alone; and six names of nobody. A pure function of the world.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { type Cast, type Character, type CharacterWorld, type Known, TRAITS, type Trait } from './types.ts';

/** How many there are, and how many of them are known otherwise than most. */
export const CAST = { names: 192, documents: 23, dialogues: 19, held: 0.08, novel: 6 } as const;

const made = new Map<string, Cast>();

export function castOf(world: CharacterWorld): Cast {
  const known = made.get(world.id);
  if (known) return known;
  const cast = drawCast(world);
  made.set(world.id, cast);
  return cast;
}

function drawCast(world: CharacterWorld): Cast {
  const { first, last } = world.syllables;
  const rng = new CounterRng(keyFor(world.seed, STREAMS.problems, 18, 0));
  const names = rng.shuffle(first.flatMap((a) => last.map((b) => a + b))).slice(0, CAST.names);
  const characters = names.map((name, i): Character => {
    const known: Known = i < CAST.documents ? 'documents' : i < CAST.documents + CAST.dialogues ? 'dialogues' : 'both';
    const values = Object.fromEntries(TRAITS.map((trait) => [trait, rng.int(world.traits[trait].values.length)]));
    const held = known === 'both' ? TRAITS.filter(() => rng.uniform() < CAST.held) : [];
    return { name, values: values as Record<Trait, number>, known, held };
  });
  return { characters, novel: last.slice(0, CAST.novel).map((end) => world.novelFirst + end) };
}

/** Whether dialogues show that value of that character. */
export const isShown = ({ known, held }: Character, trait: Trait): boolean =>
  known !== 'documents' && !held.includes(trait);

/** Whether documents tell it. */
export const isTold = ({ known }: Character): boolean => known !== 'dialogues';

export const ownValue = (world: CharacterWorld, { values }: Character, trait: Trait): string =>
  world.traits[trait].values[values[trait]];
