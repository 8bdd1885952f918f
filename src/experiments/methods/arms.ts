// Arms of the arena as data: all without a teacher, none with control quarantines.
import type { ArmFacts, MethodArm } from './method.ts';

export const OURS = 'ours';
export const VGROUT = 'vGROUT, June 2026';

const NO_TEACHER = { mix: 0 } as const;

/** Plain GRPO, with settings of its own. */
export const plainArm = <const S extends object, const F extends ArmFacts>(
  label: string,
  description: string,
  colour: MethodArm['colour'],
  settings: S,
  facts: F,
) => ({
  ...{ label, description, colour, facts, shadows: false },
  ...({ projection: 'none', projectTarget: 'gradient' } as const),
  settings: { ...NO_TEACHER, ...settings },
});

/** Trains as vanilla does; only what lies in the basis's span is deployed. */
export const spanArm = <const S extends { basisSource: string }, const F extends ArmFacts>(
  label: string,
  description: string,
  colour: MethodArm['colour'],
  settings: S,
  facts: F,
) => ({
  ...{ label, description, colour, facts, shadows: false },
  ...({ projection: 'route', projectTarget: 'update' } as const),
  settings: { ...NO_TEACHER, ...settings, dropBottomFrac: 0 },
});

/** A low-rank update moves the weights further at a rate than singular directions do. */
const TWO_BLOCKS = { adapter: 'blocks', loraRank: 8, lr: 3e-3, klBeta: 0 } as const;

export const blocksArm = <const S extends object, const F extends ArmFacts>(
  label: string,
  description: string,
  colour: MethodArm['colour'],
  settings: S,
  facts: F,
) => ({
  ...{ label, description, colour, facts, shadows: false },
  ...({ projection: 'route', projectTarget: 'gradient' } as const),
  settings: { ...NO_TEACHER, ...TWO_BLOCKS, ...settings },
});
