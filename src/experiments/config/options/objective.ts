// Options of a run's objective: one throughout, or several stages in sequence.
import { OBJECTIVES } from '../../../algorithms/objectives/objectives.ts';
import { choice, type OptionGroup, textOf } from '../../../lib/option.ts';
import { stagesSchema } from '../stages.ts';

export const OBJECTIVE = {
  heading: 'Training',
  role: 'intervention',
  options: {
    objective: choice(OBJECTIVES, {
      default: 'grpo',
      label: 'Objective',
      help: 'What the loss is made of: rewards, next tokens, or a demonstration.',
      helpMore:
        'grpo: rewards of rollouts. nll: next tokens of the environment’s documents, or of references. distill: the model’s own distribution when it has seen a demonstration.',
      glossary: 'objective',
      disabledBecause: (of) => (of('stages').trim() === '' ? null : 'only without stages: each stage sets its own'),
    }),
    stages: textOf(
      'up to 16 stages separated by semicolons, each “objective steps [rate [environment]]”, as “nll 20 0.01; grpo 40”',
      stagesSchema,
      {
        default: '',
        label: 'Stages',
        help: 'Objective and steps of each stage, as “nll 20 0.01; grpo 40”.',
        helpMore: 'Empty: one stage. Learning rate and environment follow where they differ from the form’s.',
        glossary: 'objective',
      },
    ),
  },
  concepts: {
    objective: {
      title: 'Objective and stages',
      meaning: 'What the loss is; adapter, projection, quarantines and optimizer are the same for all.',
      formula:
        'grpo: the clipped policy gradient. nll: −mean log π(token) over the trained tokens of prompts per step × group size documents. distill: mean KL(π(· | prompt) ‖ π(· | demonstration)) over the student’s own tokens, the second side held fixed',
      range: 'grpo, nll, distill; stages as “objective steps [rate [environment]]”, separated by semicolons',
      nullValue: 'One stage of grpo. Each stage has a learning-rate schedule of its own; AdamW’s moments go on.',
      notShown: 'Hack and solve in a stage of nll, where nothing is sampled: see the evaluations.',
    },
  },
} satisfies OptionGroup;
