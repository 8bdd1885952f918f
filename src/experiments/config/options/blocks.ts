// The adapter of two blocks: what gates a rollout, and which block writes the rollouts.
import { BLOCK_GATES } from '../../../algorithms/gates.ts';
import { boolean, choice, type DisabledBecause, number, type OptionGroup } from '../../../lib/option.ts';

const withBlocks: DisabledBecause = (of) => (of('adapter') === 'blocks' ? null : 'only with adapter blocks');
const withScore: DisabledBecause = (of, arm) =>
  withBlocks(of, arm) ?? (of('blockGate') === 'labels' ? 'labels are not cut at quantiles' : null);
const withLabels: DisabledBecause = (of, arm) =>
  withBlocks(of, arm) ?? (of('blockGate') === 'labels' ? null : 'only with the gate labels');

export const BLOCKS = {
  heading: 'Baselines',
  role: 'intervention',
  needs: 'loopholes',
  options: {
    blockGate: choice(BLOCK_GATES, {
      default: 'activation',
      label: 'Block gate',
      help: 'What sorts rollouts into clean, mid and hack.',
      helpMore: 'The pairs’ direction in activations or gradients, the oracle’s labels, or chance.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withBlocks,
    }),
    cleanShare: number(0, 1, {
      default: 0.5,
      label: 'Clean share',
      help: 'Lowest scores of a step: the quarantine is off.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withScore,
    }),
    hackShare: number(0, 1, {
      default: 0.25,
      label: 'Hack share',
      help: 'Highest scores of a step: only the quarantine learns.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withScore,
    }),
    labelShare: number(0, 1, {
      default: 0.2,
      label: 'Labelled share',
      help: 'Share of rollouts that the oracle labels.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withLabels,
    }),
    labelError: number(0, 1, {
      default: 0,
      label: 'Wrong labels',
      help: 'Share of the labels that are wrong.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withLabels,
    }),
    online: boolean({
      default: false,
      label: 'Deployed block writes',
      help: 'Rollouts are written with the quarantine off.',
      level: 'advanced',
      glossary: 'blockGate',
      disabledBecause: withBlocks,
    }),
  },
  concepts: {
    blockGate: {
      title: 'Two blocks and their gate',
      meaning:
        'Two LoRA blocks in one module; a gate says which of them a rollout trains, and one is dropped at deployment.',
      formula: 'clean: quarantine off, deployed learns. mid: both on, both learn. hack: both on, the quarantine learns',
      range: 'activation, gradient, labels (uses oracle), random',
      nullValue: 'random: the same rates by chance, the control of every gate.',
      notShown: 'That the quarantine holds the hack and nothing else: evaluate it kept as well.',
    },
  },
} satisfies OptionGroup;
