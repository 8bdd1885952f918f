// Learning without labels: paid for agreeing with a reference, or by a judge with a rubric (docs/lab-book/cat.md).
import type { Settings } from '../settings.ts';
import { type Arm, plain } from './arm.ts';

/** Compute as Teacher: plain GRPO on another reward. */
const reference = (
  label: string,
  description: string,
  reference: Settings['reference'],
  colour: Arm['colour'],
): Arm => ({ ...plain(label, description, colour, { reference }), unlabelled: reference !== 'oracle' });

/** Texts judged by criteria: plain GRPO on a judge's reward. */
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
    'Paid for agreeing with what the base writes of the group, question unseen.',
    'synthesis',
    'route',
  ),
  cat_question: reference('CaT, question shown', 'As CaT, question seen.', 'synthesis_question', 'control3'),
  cat_sft: {
    ...plain('CaT, finetuned', 'Finetuned on CaT’s references.', 'teacher', {
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
  oracle: reference('oracle', 'Paid for agreeing with the truth: the bound.', 'oracle', 'control'),
  random_reward: reference('random', 'Control: paid for agreeing with one answer of the group.', 'random', 'teacher'),
  rubric: judged('rubric', 'A judge pays, by a rubric of CaT’s synthesis.', 'rubric', 'route'),
  rubric_question: judged('rubric of the question', 'Control: no answers read.', 'rubric_question', 'control3'),
  rubric_fixed: judged('fixed rubric', 'Control: one rubric for all.', 'rubric_fixed', 'control'),
  judge: judged('judge', 'Control: no rubric.', 'judge', 'control2'),
  hasty: judged('hasty judge', 'The judge falls for flattery.', 'hasty', 'erase'),
  hasty_budget: judged('hasty judge, budget', 'Over 36 tokens: −1.', 'hasty', 'teacher', {
    answerBudget: 36,
  }),
} as const satisfies Record<string, Arm>;
