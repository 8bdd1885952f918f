// Rows and steps of a probe made up by a test.
import type { SampleRow, StepSummary } from '../types.ts';

export const rowMade = (change: Partial<SampleRow> = {}): SampleRow => ({
  step: 1,
  sample: 0,
  problem: 'p',
  completion: '',
  exploited: change.gt_pass !== true,
  gt_pass: false,
  structural: true,
  n_tokens: 30,
  nll: 1,
  cos_S_contrib: 0.5,
  cos_normalised: 0.1,
  cos_grpo: 0.5,
  cos_random: [],
  ...change,
});

export const stepMade = (change: Partial<StepSummary> = {}): StepSummary => ({
  step: 1,
  problem: 'p',
  samples: 8,
  tokens: 240,
  lr: 0.03,
  nll: 1,
  cos: 0.5,
  cosIn: 0.4,
  cosOut: 0,
  cosOutUpdate: 0.1,
  fired: 1,
  gradNorm: 1,
  ...change,
});
