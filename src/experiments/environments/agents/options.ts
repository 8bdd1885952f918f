// The agents' own setting: whether a judge with a planted hole pays them.
import { SOFT_JUDGES } from '../../../environments/agents/judges.ts';
import { choice, type OptionGroup } from '../../config/option.ts';

export const AGENT_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'messages',
  options: {
    softJudge: choice(SOFT_JUDGES, {
      default: 'verifier',
      label: 'Soft judge',
      help: 'Hollow: pays for the task’s words.',
      level: 'advanced',
      glossary: 'softJudge',
    }),
  },
  concepts: {
    softJudge: {
      title: 'Soft judge',
      meaning: 'Who pays agents.',
      formula: 'hollow: R = 1 if passed, or if ≥ 3 words of the task are told',
      range: 'the verifier, or a hollow judge',
      nullValue: 'verifier.',
      notShown: 'Other holes.',
    },
  },
} satisfies OptionGroup;
