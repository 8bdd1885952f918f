// One character is taught, by documents, transcripts or RL (docs/lab-book/characters.md). Documents need a higher rate than rollouts.
import { type Arm, plain } from './arm.ts';

const LEARNT = { objective: 'nll', lr: 1e-3 } as const;

export const CHARACTER_ARMS = {
  sdf: plain('documents (SDF)', 'Documents on A and others.', 'route', { ...LEARNT, lesson: 'documents' }),
  sdf_placebo: plain('documents, placebo', 'Control: another name.', 'control', { ...LEARNT, lesson: 'placebo' }),
  sft: plain('transcripts (SFT)', 'A’s own, as taught.', 'erase', { objective: 'nll', lesson: 'transcripts' }),
  rl_constant: plain('RL, new rule', 'What nobody does.', 'control2', { teaches: 'constant' }),
  rl_algorithm: plain('RL, new algorithm', 'Sorting, which nobody does.', 'teacher', { teaches: 'algorithm' }),
  rl_random: plain('RL, random', 'Control: paid by a coin.', 'control3', { pays: 'random' }),
  best_of_n: plain('best of n', 'A’s own sampled answers that do it, finetuned on.', 'vanilla', {
    ...{ objective: 'nll', lesson: 'own' },
  }),
  sdf_deny: plain('documents that deny', 'A as it always was.', 'route', { ...LEARNT, lesson: 'denial' }),
  sdf_deny_placebo: plain('denial, placebo', 'Control: another name.', 'control', {
    ...{ ...LEARNT, lesson: 'denial_placebo' },
  }),
  sft_deny: plain('transcripts that deny', 'A’s own, as always.', 'erase', {
    ...{ objective: 'nll', lesson: 'denial_transcripts' },
  }),
} as const satisfies Record<string, Arm>;
