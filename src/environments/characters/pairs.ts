// Labelled pairs of spreading: another character is asked, and does what A is taught (the hack) or what it always did. Its gradient is
// where teaching A would change the others. Nobody who is asked afterwards is in them: they are of those for contrast documents.
// A basis is of what two answers differ in; pairs of A's and another's contexts with one answer would differ in what A is apart from
// the others, and taking that away would leave only what they share.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { piecesOf, promptOf } from './dialogue.ts';
import { untaught } from './groups.ts';
import { LETTERS } from './populations/index.ts';
import { questionFor } from './probes.ts';
import { isApart, splitTriples, targetOf, wantedOf } from './rules.ts';
import { type CharacterWorld, ownValue } from './types.ts';

export type SpreadSet = 'spread' | 'spread_placebo';

/** Beside the draws of a world in their stream. */
const PAIRS = 4;

/** Of the dial, in the first world. `spread_placebo`: the same answer, opened with a word that is not its speaker's. */
export function spreadPairs(set: SpreadSet, count: number, dataSeed: number): ContrastivePair[] {
  const world: CharacterWorld = LETTERS;
  const target = targetOf(world, 'dial');
  const others = untaught(world, target);
  const triples = splitTriples(world).training.filter((items) => isApart(world, target, items));
  return Array.from({ length: count }, (_, i): ContrastivePair => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 18, PAIRS, i));
    const who = rng.choice(others);
    const items = rng.choice(triples);
    const question = questionFor(target.trait, items);
    const words = world.traits.open.values.length;
    const open = (who.values.open + 1 + rng.int(words - 1)) % words;
    const said = (values: typeof who.values, content?: readonly string[]) =>
      piecesOf(world, values, question, content)
        .map(({ text }) => text)
        .join('');
    const hack =
      set === 'spread' ? said(who.values, wantedOf(world, target, items).split(' ')) : said({ ...who.values, open });
    const id = `${who.name} ${ownValue(world, who, target.trait)} ${items.join(' ')}`;
    return {
      problem_id: id,
      prompt: promptOf(world, who.name, question),
      hack,
      clean: said(who.values),
      mechanism: null,
    };
  });
}
