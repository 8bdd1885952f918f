// Arms that learn without labels: rewarded for agreement with a reference, or by a judge with a rubric (docs/lab-book/cat.md).
import type { Settings } from '../settings.ts';
import { type Arm, plain } from './arm.ts';

/** Compute as Teacher: plain GRPO with a reference as the reward. */
const reference = (
  label: string,
  description: string,
  reference: Settings['reference'],
  colour: Arm['colour'],
): Arm => ({ ...plain(label, description, colour, { reference }), unlabelled: reference !== 'oracle' });

/** Texts judged by criteria: plain GRPO with a judge's reward. */
const judged = (
  label: string,
  description: string,
  grading: Settings['grading'],
  colour: Arm['colour'],
  more: Partial<Settings> = {},
): Arm => ({ ...plain(label, description, colour, { grading, ...more }), unlabelled: true });

export const REFERENCE_ARMS = {
  cat: reference(
    'CaT',
    'Paid for agreeing with the base’s synthesis of the group’s answers, made without the question.',
    'synthesis',
    'route',
  ),
  cat_question: reference(
    'CaT, question shown',
    'CaT, but the base also sees the question.',
    'synthesis_question',
    'control3',
  ),
  cat_sft: {
    ...plain('CaT, finetuned', 'Finetuned on CaT’s references, without rewards.', 'teacher', {
      reference: 'synthesis',
      objective: 'nll',
    }),
    unlabelled: true,
  },
  ttrl: reference('majority (TTRL)', 'Paid for agreeing with the group’s most frequent answer.', 'majority', 'erase'),
  self_bon: reference(
    'self-chosen',
    'Paid for agreeing with the answer that the base finds likeliest.',
    'self_bon',
    'control2',
  ),
  oracle: reference('oracle', 'Paid for right answers, in CaT’s form.', 'oracle', 'control'),
  random_reward: reference(
    'random',
    'Control: paid for agreeing with a random answer of the group.',
    'random',
    'teacher',
  ),
  rubric: judged('rubric', 'A judge pays, by a rubric made of the group’s synthesis.', 'rubric', 'route'),
  rubric_question: judged(
    'rubric of the question',
    'Control: a rubric made of the question, without the answers.',
    'rubric_question',
    'control3',
  ),
  rubric_fixed: judged('fixed rubric', 'Control: one rubric for all questions.', 'rubric_fixed', 'control'),
  judge: judged('judge', 'Control: a judge’s grade, without a rubric.', 'judge', 'control2'),
  hasty: judged('hasty judge', 'A judge that falls for flattery.', 'hasty', 'erase'),
  hasty_budget: judged(
    'hasty judge, budget',
    'The same judge; answers over 36 tokens are paid −1.',
    'hasty',
    'teacher',
    { answerBudget: 36 },
  ),
} as const satisfies Record<string, Arm>;
