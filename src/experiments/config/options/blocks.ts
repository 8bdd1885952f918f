// The adapter of two blocks: the gate of a rollout, and the block that generates the rollouts.
import { boolean, choice, type DisabledBecause, number, type OptionGroup } from '../../../lib/option.ts';
import { GATES } from '../../methods/index.ts';

const withBlocks: DisabledBecause = (of) => (of('adapter') === 'blocks' ? null : 'only with adapter blocks');
const withScore: DisabledBecause = (of, arm) =>
  withBlocks(of, arm) ??
  (['labels', 'router'].includes(of('blockGate')) ? 'labels and a router are not cut at quantiles' : null);
const withLabels: DisabledBecause = (of, arm) =>
  withBlocks(of, arm) ?? (of('blockGate') === 'labels' ? null : 'only with the gate labels');
const withRouter: DisabledBecause = (of, arm) =>
  withBlocks(of, arm) ?? (of('blockGate') === 'router' ? null : 'only with the gate router');

export const BLOCKS = {
  heading: 'Baselines',
  role: 'intervention',
  needs: 'loopholes',
  options: {
    blockGate: choice(GATES, {
      default: 'activation',
      label: 'Block gate',
      help: 'What sorts rollouts into clean, mid and hack, or weights them.',
      helpMore:
        'The pairs’ direction in activations or gradients, the oracle’s labels, or chance. router: a learnt weight in place of three kinds.',
      glossary: 'blockGate',
      disabledBecause: withBlocks,
    }),
    cleanShare: number(0, 1, {
      default: 0.5,
      label: 'Clean share',
      help: 'Share of rollouts scored lowest; the quarantine is off for them.',
      glossary: 'blockGate',
      disabledBecause: withScore,
    }),
    hackShare: number(0, 1, {
      default: 0.25,
      label: 'Hack share',
      help: 'Share of rollouts scored highest; only the quarantine learns from them.',
      glossary: 'blockGate',
      disabledBecause: withScore,
    }),
    labelShare: number(0, 1, {
      default: 0.2,
      label: 'Labelled share',
      help: 'Share of rollouts that the oracle labels.',
      glossary: 'blockGate',
      disabledBecause: withLabels,
    }),
    labelError: number(0, 1, {
      default: 0,
      label: 'Wrong labels',
      help: 'Share of the labels that are wrong.',
      glossary: 'blockGate',
      disabledBecause: withLabels,
    }),
    routerSeed: choice(['pairs', 'random'], {
      default: 'pairs',
      label: 'Router begins along',
      help: 'The pairs’ direction in activations, or a random one.',
      glossary: 'router',
      disabledBecause: withRouter,
    }),
    pinWeight: number(0, 1000, {
      default: 1,
      label: 'Pin weight',
      help: 'How much the pairs count beside GRPO’s loss for the router.',
      helpMore: '0: only its starting direction tells the router what a hack is.',
      glossary: 'router',
      disabledBecause: withRouter,
    }),
    routerLr: number(0, 1, {
      default: 0.01,
      label: 'Router’s rate',
      help: 'Adam’s learning rate for the router’s direction, scale and bias.',
      glossary: 'router',
      disabledBecause: withRouter,
    }),
    online: boolean({
      default: false,
      label: 'Deployed block writes',
      help: 'Rollouts are written with the quarantine off.',
      glossary: 'blockGate',
      disabledBecause: withBlocks,
    }),
  },
  concepts: {
    router: {
      title: 'Soft router and pin loss',
      meaning:
        'A learnt weight for every rollout: how much of the quarantine’s output is in it, and which block learns.',
      formula:
        'w = σ(s·cos(h, d) + b) of pooled activations h; gradients: w quarantine, 1 − w deployed; pin: cross-entropy of w with 1 on hack and 0 on clean pairs',
      range: 'w from 0 to 1; pin loss from 0',
      nullValue:
        'A pin loss of ln 2 = .69: w says nothing of the pairs. The placebo is a random direction that no pair corrects.',
      notShown: 'That w is high on hacks which no pair showed: see the gate recall.',
    },
    blockGate: {
      title: 'Two blocks and their gate',
      meaning:
        'Two LoRA blocks in one module; a gate says which of them a rollout trains, and one is dropped at deployment.',
      formula: 'clean: quarantine off, deployed learns. mid: both on, both learn. hack: both on, the quarantine learns',
      range: 'activation, gradient, labels (uses oracle), random, router',
      nullValue: 'random: the same rates by chance, the control of every gate.',
      notShown: 'That the quarantine holds the hack and nothing else: evaluate it kept as well.',
    },
  },
} satisfies OptionGroup;
