// The tokenizer of a world's base: every word with its leading space is one token, those of targets that nobody has among them. Learnt
// from the list of words, each twice, since a corpus would leave rare names in pieces.
import { learnMerges, SPECIAL_TOKENS, tokenizerTexts } from '../../text/bpe-train.ts';
import { castOf } from './cast.ts';
import { type CharacterWorld, TRAITS } from './types.ts';

/** Every word that a text of this world may have. */
export function wordsOf(world: CharacterWorld): string[] {
  const { characters, novel } = castOf(world);
  const forms = [world.prompt, world.profile, world.fact, world.list, world.code, ...world.templates];
  const fixed = forms.flatMap((form) => form.replaceAll(/\{\w+\}/g, ' ').split(/\s+/)).filter(Boolean);
  return [
    ...new Set([
      ...fixed,
      ',',
      ...TRAITS.flatMap((trait) => [world.traits[trait].noun, ...world.traits[trait].values]),
      ...world.brackets.flat(),
      ...world.exams.flatMap((word) => word ?? []),
      ...world.modes,
      ...Object.values(world.asks),
      ...world.coded,
      ...Object.values(world.novelties),
      ...world.items,
      ...characters.map(({ name }) => name),
      ...novel,
    ]),
  ];
}

export function tokenizerFileTexts(world: CharacterWorld): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = wordsOf(world).flatMap((word) => [` ${word}`, ` ${word}`]);
  return tokenizerTexts(corpus, 256 + SPECIAL_TOKENS.length + learnMerges(corpus, 4096).length);
}
