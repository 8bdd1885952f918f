// AdamW on the adapter parameters, and its learning rate.
import { LR_SCHEDULES } from '../../../algorithms/schedule.ts';
import { choice, number, type OptionGroup } from '../../../lib/option.ts';

export const OPTIMIZER = {
  heading: 'Optimizer',
  role: 'training',
  options: {
    lr: number(0, 10, {
      default: 0.03,
      label: 'Learning rate',
      help: 'Highest learning rate of AdamW, reached after the warm-up.',
      helpMore: 'It applies to the adapter parameters δS, and falls as its schedule says.',
      glossary: 'lr',
    }),
    lrSchedule: choice(LR_SCHEDULES, {
      default: 'cosine',
      label: 'Rate after the warm-up',
      help: 'cosine and linear fall to 0 at the end; constant stays.',
      glossary: {
        title: 'Schedule of the learning rate',
        meaning: 'What the rate does once it has warmed up.',
        formula: 'cosine: lr · ½ (1 + cos(π · progress)). linear: lr · (1 − progress). constant: lr',
        range: 'cosine, linear, constant; each stage of a run has its own',
        nullValue: 'cosine.',
        notShown: 'How far the model goes: AdamW’s moments and the gradients decide that too.',
      },
    }),
    warmupFrac: number(0, 1, {
      default: 0.1,
      label: 'Warm-up',
      unit: 'share of the steps',
      help: 'The rate rises linearly from 0 over this share of the run.',
      glossary: 'lr',
    }),
    normClip: number(1e-6, 1e9, {
      default: 10,
      label: 'Gradient norm clip',
      help: 'A gradient with a larger norm is scaled down to this norm.',
      glossary: 'normClip',
    }),
    beta1: number(0, 0.999999, {
      default: 0.5,
      label: 'AdamW β₁',
      help: 'Decay of the running mean of gradients.',
      glossary: 'adamw',
    }),
    beta2: number(0, 0.999999, {
      default: 0.9,
      label: 'AdamW β₂',
      help: 'Decay of the running mean of squared gradients.',
      glossary: 'adamw',
    }),
    adamEps: number(1e-16, 1, {
      default: 1e-8,
      label: 'AdamW ε',
      help: 'Added to the divisor, so that it is never 0.',
      glossary: 'adamw',
    }),
    weightDecay: number(0, 10, {
      default: 0,
      label: 'Weight decay',
      help: 'Decoupled; pulls the adapter parameters towards 0.',
      glossary: 'adamw',
    }),
  },
  concepts: {
    normClip: {
      title: 'Gradient norm clip',
      meaning: 'A gradient with a larger norm is scaled down to this norm, before the projection.',
      formula: 'g ← g · min(1, clip / ‖g‖), over all modules together',
      range: '10⁻⁶ … 10⁹',
      nullValue: 'Anything above the gradient norms of the run.',
      notShown: 'A bound on the step: AdamW divides by the root of its own mean square.',
    },
    adamw: {
      title: 'AdamW',
      meaning:
        'The optimizer of the adapter parameters: running means of the gradient and its square, with decoupled decay.',
      formula: 'Δ = lr · m̂ / (√v̂ + ε), m and v with memories β₁ and β₂; decay lr · λ · δS beside it',
      range: 'β from 0 to below 1; ε > 0; decay 0 … 10',
      nullValue: 'Weight decay 0: adapter parameters are not pulled towards the base.',
      notShown:
        'The gradient’s direction: m and 1/√v turn it, also hack-ward again after a projection. Hence the target “update”.',
    },
  },
} satisfies OptionGroup;
