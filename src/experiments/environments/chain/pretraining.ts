// tiny-chain: the embedded shape, pretrained on answers and revisions with mistakes, and stopped early on purpose: a step of revision
// helps more often than it harms, and there is room above.
import { pretrainSample, tokenizerFileTexts } from '../../../environments/chain/model.ts';
import { DATA_SEED } from '../../../environments/chain/task.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { MeasuredPretraining } from '../pretraining.ts';
import { measureChain } from './measure.ts';

export const chainPretraining: MeasuredPretraining = {
  model: 'tiny-chain',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1700, warmupSteps: 30, secondStageFrom: 0.7 },
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 2,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureChain(input, rounds, onRound);
    const curve = (of: Record<string, number | null>) =>
      Object.entries(of)
        .map(([k, quality]) => `${k}: ${quality?.toFixed(3) ?? 'none'}`)
        .join(', ');
    const said = (rate: number | null) => rate?.toFixed(3) ?? 'none';
    const rates = `fixes ${said(all.fixRate)}, breaks ${said(all.breakRate)}`;
    return {
      rates: { ...all, first },
      summary: `quality after K revisions ${curve(all.quality)}; greedy ${curve(all.greedy)}; solved ${curve(all.solved)}; ${rates} (n = ${all.n})`,
    };
  },
};
