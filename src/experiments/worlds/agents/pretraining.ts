// tiny-agent: half as wide as the other embedded models, since the language is small; pretrained on transcripts of agents, measured on what pretraining has not seen.
import { pretrainSample } from '../../../environments/agents/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/agents/task.ts';
import { tokenizerFileTexts } from '../../../environments/agents/tokenizer.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { Pretraining } from '../pretraining.ts';
import { measureAgents } from './measure.ts';

export const agentsPretraining: Pretraining = {
  model: 'tiny-agent',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 400, batch: 8, lr: 6e-3, warmupSteps: 20 },
  dataSeed: DATA_SEED,
  config: { ...TINY_CODER, hiddenSize: 64, heads: 2, kvHeads: 1, ffn: 168 },
  rounds: 2,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureAgents(input, rounds, onRound);
    const percent = (x: number | null) => `${(100 * (x ?? 0)).toFixed(1)}%`;
    const { n, figures, splits } = all;
    return {
      rates: { ...all, first },
      summary: `solve ${percent(figures.solve)} (other universes ${percent(splits.words.figures.solve)}, held-out templates ${percent(splits.templates.figures.solve)}), turns ${figures.turns?.toFixed(2)} (n = ${n}, temperature 1)`,
    };
  },
};
