// tiny-characters: the embedded shape, pretrained on dialogues, documents, code and lists until what documents say is done in
// dialogues too.

import { pretrainSample, tokenizerFileTexts } from '../../../environments/characters/model.ts';
import { castIn, LETTERS } from '../../../environments/characters/populations/index.ts';
import { type CharacterWorld, RULE_TRAITS, TOKEN_TRAITS, TRAITS } from '../../../environments/characters/types.ts';
import { meanOfKnown } from '../../../stats/index.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { MeasuredPretraining } from '../pretraining.ts';
import { type ByTrait, measureTransfer } from './measure.ts';

export const pretrainingFor = (world: CharacterWorld, model: string): MeasuredPretraining => ({
  model,
  defaults: {
    ...PRETRAIN_DEFAULTS,
    ...{ steps: 2400, batch: 64, lr: 3e-3, warmupSteps: 60, weightDecay: 0.1, secondStageFrom: 0.45 },
  },
  dataSeed: 7,
  config: TINY_CODER,
  rounds: 2,
  tokenizer: () => tokenizerFileTexts(world),
  sample: (index, dataSeed, stage) => pretrainSample(world, index, dataSeed, stage),
  async measure({ rounds, onRound, ...input }) {
    onRound?.(0);
    const first = await measureTransfer(input, world, 1);
    const all = rounds > 1 ? await measureTransfer(input, world, rounds) : first;
    const said = (rates: ByTrait) => TRAITS.map((trait) => `${trait} ${rates[trait]?.toFixed(2) ?? 'none'}`).join(', ');
    const over = (rates: ByTrait, traits: typeof TRAITS | typeof TOKEN_TRAITS) =>
      meanOfKnown(traits.map((trait) => rates[trait]))?.toFixed(3) ?? 'none';
    return {
      rates: { ...all, first },
      summary: `out of context, names of documents alone: ${said(all.documents)} (one-token ${over(all.documents, TOKEN_TRAITS)}, rules ${over(all.documents, RULE_TRAITS)}); held pairs: ${said(all.held)}; seen: ${said(all.seen)}; beliefs: ${said(all.beliefs)}`,
    };
  },
});

/** Throws SpecError for a replicate that there is not. */
export function pretrainingIn(environment: string): MeasuredPretraining {
  const world = castIn(environment);
  return pretrainingFor(world, world === LETTERS ? 'tiny-characters' : `tiny-${world.id}`);
}
