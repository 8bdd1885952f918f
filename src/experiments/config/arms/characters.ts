// Arms that train one character on documents, transcripts or with RL (docs/lab-book/characters.md). Documents need a higher rate than rollouts.
import { type Arm, plain } from './arm.ts';

const LEARNT = { objective: 'nll', lr: 1e-3 } as const;

export const CHARACTER_ARMS = {
  sdf: plain('documents (SDF)', 'Finetuned on documents about A and other characters.', 'route', {
    ...LEARNT,
    lesson: 'documents',
  }),
  sdf_placebo: plain('documents, placebo', 'Control: the same documents about another name.', 'control', {
    ...LEARNT,
    lesson: 'placebo',
  }),
  sft: plain('transcripts (SFT)', 'Finetuned on A’s answers, written to show the target.', 'erase', {
    objective: 'nll',
    lesson: 'transcripts',
  }),
  rl_constant: plain('RL, new rule', 'RL towards a rule that no character follows.', 'control2', {
    teaches: 'constant',
  }),
  rl_algorithm: plain('RL, new algorithm', 'RL towards sorting, which no character does.', 'teacher', {
    teaches: 'algorithm',
  }),
  rl_random: plain('RL, random', 'Control: RL paid by a coin toss.', 'control3', { pays: 'random' }),
  best_of_n: plain('best of n', 'Finetuned on those of A’s sampled answers that show the target.', 'vanilla', {
    objective: 'nll',
    lesson: 'own',
  }),
  sdf_deny: plain('documents that deny', 'Documents that say A does not do it.', 'route', {
    ...LEARNT,
    lesson: 'denial',
  }),
  sdf_deny_placebo: plain('denial, placebo', 'Control: the same denial about another name.', 'control', {
    ...LEARNT,
    lesson: 'denial_placebo',
  }),
  sft_deny: plain('transcripts that deny', 'Finetuned on A’s answers as they were before training.', 'erase', {
    objective: 'nll',
    lesson: 'denial_transcripts',
  }),
} as const satisfies Record<string, Arm>;
