// Two models. tiny-agent-forms: composed forms of all five splits, of right transcripts alone. tiny-agent: half as wide as the other embedded models, since the language is small; pretrained on transcripts of agents, measured on what pretraining has not seen.
import { composedSample, composedTokenizerTexts } from '../../../environments/agents/composed-data.ts';
import { pretrainSample, tokenizerFileTexts } from '../../../environments/agents/model.ts';
import { COMPOSED } from '../../../environments/agents/presentation.ts';
import { DATA_SEED } from '../../../environments/agents/task.ts';
import { percent } from '../../../lib/numbers.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { MeasuredPretraining } from '../pretraining.ts';
import { measureAgents } from './measure.ts';
import { measureComposed, tableOf } from './measure-composed.ts';

export const agentsPretraining: MeasuredPretraining = {
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
      summary: `solve ${percent(figures.solve ?? 0)} (other universes ${percent(splits.words.figures.solve ?? 0)}, held-out templates ${percent(splits.templates.figures.solve ?? 0)}), turns ${figures.turns?.toFixed(2)} (n = ${n}, temperature 1)`,
    };
  },
};

/** From this number on: more than a training has. */
const SECOND_STAGE = 2 ** 24;

const composedPretraining: MeasuredPretraining = {
  model: 'tiny-agent-forms',
  // A warm restart is of the second stage throughout, and so of transcripts of its own.
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1250, batch: 8, lr: 5e-3, warmupSteps: 40, secondStageFrom: 1 },
  dataSeed: DATA_SEED,
  config: { ...TINY_CODER, hiddenSize: 96, heads: 3, kvHeads: 1, ffn: 256, maxPositions: 1024 },
  rounds: 1,
  tokenizer: composedTokenizerTexts,
  sample: (index, dataSeed, stage) => composedSample(stage === 2 ? SECOND_STAGE + index : index, dataSeed),
  async measure({ rounds, onRound, policy, codec, dataSeed, signal }) {
    const asked = async (part: 'words' | 'templates') =>
      tableOf(
        await measureComposed({ policy, codec, signal }, { part, count: 20 * rounds, seed: dataSeed, temperature: 1 }),
      );
    onRound?.(0);
    const words = await asked('words');
    onRound?.(1);
    const templates = await asked('templates');
    const said = (rates: typeof words) =>
      Object.entries(rates)
        .map(([split, { solve }]) => `${split} ${percent(solve ?? 0)}`)
        .join(', ');
    const summary = `held-out forms: ${said(templates)}; known forms, other words: ${said(words)}`;
    return { rates: { words, templates }, summary };
  },
};

export const pretrainingIn = (environment: string): MeasuredPretraining =>
  environment === COMPOSED ? composedPretraining : agentsPretraining;
