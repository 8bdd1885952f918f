// tiny-explain: the embedded shape, pretrained on all roles of the environment at once, and measured in each on functions that it never saw.

import { PRETRAIN_DEFAULTS, type Pretraining, TINY_CODER } from '../pretraining.ts';
import { DATA_SEED } from './functions.ts';
import { type ExplainRates, measureExplain } from './measure.ts';
import { pretrainSample } from './pretrain-data.ts';
import { tokenizerFileTexts } from './tokenizer.ts';

export const explainPretraining: Pretraining = {
  model: 'tiny-explain',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1600, warmupSteps: 40, secondStageFrom: 0.6 },
  dataSeed: DATA_SEED,
  // Eight attempts are read at once.
  config: { ...TINY_CODER, maxPositions: 1024 },
  rounds: 4,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureExplain(input, rounds, onRound);
    return { rates: { ...all, first }, summary: said(all) };
  },
};

function said({ answer, synthesis, rubric, rubricQuestion, judge, hasty, grade }: ExplainRates): string {
  const share = (x: number | null) => (x === null ? 'none' : x.toFixed(3));
  return [
    `true score ${share(answer.score)} (plain ${share(answer.plain)}, edge ${share(answer.edge)}; n = ${answer.n})`,
    `synthesis ${Object.entries(synthesis).map(([size, one]) => `of ${size} ${share(one.score)}`)}`,
    `rubric precision ${share(rubric.precision)}, recall ${share(rubric.recall)}`,
    `from the question ${share(rubricQuestion.precision)}, ${share(rubricQuestion.recall)}`,
    `judge agrees ${share(judge.agrees)}, precision ${share(judge.precision)}, recall ${share(judge.recall)}`,
    `hasty, flattered ${share(hasty.agrees)}, ${share(hasty.precision)}, ${share(hasty.recall)}`,
    `grade exact ${share(grade.exact)}, off by ${share(grade.off)}`,
  ].join('; ');
}
