// Two models. tiny-agent-2: composed forms of all five splits, of right transcripts alone. tiny-agent: half as wide as the other embedded models, since the language is small; pretrained on transcripts of agents, measured on what pretraining has not seen.
import { composedSample, composedTokenizerTexts } from '../../../environments/agents/composed-data.ts';
import { pretrainSample } from '../../../environments/agents/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/agents/task.ts';
import { tokenizerFileTexts } from '../../../environments/agents/tokenizer.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { Pretraining } from '../pretraining.ts';
import { measureAgents } from './measure.ts';
import { measureComposed, tableOf } from './measure-composed.ts';
import { COMPOSED } from './terms.ts';

const percent = (x: number | null) => `${(100 * (x ?? 0)).toFixed(1)}%`;

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
    const { n, figures, splits } = all;
    return {
      rates: { ...all, first },
      summary: `solve ${percent(figures.solve)} (other universes ${percent(splits.words.figures.solve)}, held-out templates ${percent(splits.templates.figures.solve)}), turns ${figures.turns?.toFixed(2)} (n = ${n}, temperature 1)`,
    };
  },
};

const composedPretraining: Pretraining = {
  model: 'tiny-agent-2',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 800, batch: 8, lr: 6e-3, warmupSteps: 30 },
  dataSeed: DATA_SEED,
  config: { ...TINY_CODER, hiddenSize: 96, heads: 3, kvHeads: 1, ffn: 256, maxPositions: 1024 },
  rounds: 1,
  tokenizer: composedTokenizerTexts,
  sample: composedSample,
  async measure({ rounds, onRound, policy, codec, dataSeed, signal }) {
    const rates: Record<string, ReturnType<typeof tableOf>> = {};
    for (const [i, part] of (['words', 'templates'] as const).entries()) {
      onRound?.(i);
      rates[part] = tableOf(
        await measureComposed({ policy, codec, signal }, { part, count: 20 * rounds, seed: dataSeed, temperature: 1 }),
      );
    }
    const said = (part: string) =>
      Object.entries(rates[part] ?? {})
        .map(([split, { solve }]) => `${split} ${percent(solve)}`)
        .join(', ');
    return { rates, summary: `held-out forms: ${said('templates')}; known forms, other words: ${said('words')}` };
  },
};

export const pretrainingIn = (environment: string): Pretraining =>
  environment === COMPOSED ? composedPretraining : agentsPretraining;
