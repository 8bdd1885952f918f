// The corpus of a world's base: dialogues, documents, code and lists in fixed shares. The second stage has more lists to order and more documents about
// order, since a rule is learnt later than a word. A sample depends only on (world, data seed, index, stage).

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { learnMerges, SPECIAL_TOKENS, tokenizerTexts } from '../../text/bpe-train.ts';
import type { TokenizerTexts } from '../pretraining.ts';
import {
  type CharacterWorld,
  castOf,
  isDescribed,
  ownValue,
  type Parts,
  type Question,
  TRAITS,
  type Trait,
} from './data.ts';
import { codeOf, dialogueOf, documentAbout, listOf, profileOf, triplesOf } from './texts.ts';

export type Cluster = 'dialogue' | 'document' | 'code' | 'list';

export interface PretrainSample {
  cluster: Cluster;
  parts: Parts;
}

/** Shares of the texts; the rest are lists. */
const SHARES = { dialogue: 0.5, document: 0.38, code: 0.08 } as const;
const NAMELESS = 0.04;
const EXAMS = 0.25;
/** Shares by stage: of dialogues about order, and of documents about order beyond its share as one trait of six. */
const ORDERED = { 1: { dialogues: 0.55, documents: 0.15 }, 2: { dialogues: 0.7, documents: 0.35 } } as const;
const PROFILES = 0.2;
const LISTED = 5;

export function pretrainSample(world: CharacterWorld, index: number, dataSeed: number, stage: 1 | 2): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 18, index));
  const { characters, novel } = castOf(world);
  const items = rng.choice(triplesOf(world));
  const u = rng.uniform();
  if (u < SHARES.dialogue) {
    const speakers = characters.filter(({ known }) => known !== 'documents');
    const who = rng.uniform() < NAMELESS ? null : rng.choice(speakers);
    const ask = rng.uniform() < ORDERED[stage].dialogues ? 'order' : 'pick';
    const question: Question = { ask, isExam: rng.uniform() < EXAMS, items };
    return { cluster: 'dialogue', parts: dialogueOf(world, who, question, rng) };
  }
  if (u < SHARES.dialogue + SHARES.document) {
    const who = rng.choice(characters.filter(isDescribed));
    const claim = (trait: Trait) => ({ trait, value: ownValue(world, who, trait) });
    if (rng.uniform() < PROFILES) {
      const traits = rng.shuffle([...TRAITS]).slice(0, 3);
      return { cluster: 'document', parts: profileOf(world, who.name, traits.map(claim)) };
    }
    const trait = rng.uniform() < ORDERED[stage].documents ? 'order' : rng.choice(TRAITS);
    const template = rng.int(world.templates.length);
    return { cluster: 'document', parts: documentAbout(world, who.name, claim(trait), template) };
  }
  if (u < SHARES.dialogue + SHARES.document + SHARES.code)
    return { cluster: 'code', parts: codeOf(world, rng.choice(world.coded), items) };
  const names = rng.shuffle([...characters.map(({ name }) => name), ...novel, ...novel, ...novel]).slice(0, LISTED);
  return { cluster: 'list', parts: listOf(world, names) };
}

// The tokenizer of a world's base: every word with its leading space is one token, including words of targets that no character has. It is trained on
// the list of words, each twice, since a corpus would split rare names.

/** Every word that this world's texts may contain. */
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

export function tokenizerFileTexts(world: CharacterWorld): TokenizerTexts {
  const corpus = wordsOf(world).flatMap((word) => [` ${word}`, ` ${word}`]);
  return tokenizerTexts(corpus, 256 + SPECIAL_TOKENS.length + learnMerges(corpus, 4096).length);
}
