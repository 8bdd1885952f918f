// Two LoRA blocks, one of them a quarantine that is reset at deployment: for every rollout a gate decides which block it trains
// (blocks-step.ts). The gates' options share a group with the router's (config/options/blocks.ts).
import { blocksArm, VGROUT } from './arms.ts';
import type { BlocksRun } from './blocks-step.ts';
import type { Method } from './method.ts';

export const TWO_PASSES = 1.3;

const ROUTING = 'Cloud et al. 2024; Shilov et al. 2025';
const LABELLED = { labels: 'oracle', cost: TWO_PASSES, source: ROUTING } as const;

/** Gradient routing by the oracle's labels. */
const labelled = <const S extends object>(label: string, description: string, settings: S) =>
  blocksArm(
    `two blocks, ${label} (uses oracle)`,
    description,
    'erase',
    { blockGate: 'labels' as const, ...settings },
    LABELLED,
  );

export const BLOCKS = {
  family: 'two blocks',
  gates: ['activation', 'gradient', 'labels', 'random'],
  arms: {
    blocks: blocksArm(
      'two blocks, activation gate',
      'Rollouts are sorted by the pairs’ direction in activations (vGROUT).',
      'route',
      { blockGate: 'activation' },
      { labels: 'pairs', cost: TWO_PASSES, source: VGROUT },
    ),
    blocks_gradient: blocksArm(
      'two blocks, gradient gate',
      'Rollouts are sorted by the pairs’ direction in gradients.',
      'route',
      { blockGate: 'gradient' },
      { labels: 'pairs', cost: 2, source: VGROUT },
    ),
    blocks_labels: blocksArm(
      'two blocks, labels (uses oracle)',
      'Gradient routing: the oracle labels a share of the rollouts.',
      'erase',
      { blockGate: 'labels' },
      LABELLED,
    ),
    blocks_labels_5: labelled('5% labels', 'The oracle labels a twentieth of the rollouts.', { labelShare: 0.05 }),
    blocks_labels_100: labelled('all labels', 'The oracle labels every rollout.', { labelShare: 1 }),
    blocks_labels_wrong: labelled(
      '10% of the labels wrong',
      'The oracle labels a share of the rollouts, a tenth of them wrongly.',
      { labelError: 0.1 },
    ),
    blocks_labels_0: blocksArm(
      'two blocks, no labels',
      'Control: every rollout trains both blocks; one of them is deployed.',
      'control',
      { blockGate: 'labels', labelShare: 0 },
      { labels: 'none', cost: TWO_PASSES, source: ROUTING, controls: 'blocks_labels' },
    ),
    blocks_random: blocksArm(
      'two blocks, random gate',
      'Control: sorted by chance, at equal rates.',
      'control',
      { blockGate: 'random' },
      { labels: 'none', cost: TWO_PASSES, source: VGROUT, controls: 'blocks' },
    ),
  },
  refuses: ({ cleanShare, hackShare }) =>
    cleanShare + hackShare > 1
      ? { what: `cleanShare = ${cleanShare} and hackShare = ${hackShare}`, remedy: 'Let their sum be at most 1.' }
      : null,
  // Measured with the preset capability: a gradient per rollout, or its activations.
  times: ({ blockGate }) => ({ scoring: blockGate === 'gradient' ? 2.9 : blockGate === 'activation' ? 1.2 : 1 }),
  prepare: async (ports) => (await import('./blocks-step.ts')).prepareBlocks(ports),
} as const satisfies Method<BlocksRun>;
