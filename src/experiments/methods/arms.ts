// Arms of the arena as data: none has a teacher or control quarantines.
import type { ArmFacts, MethodArm } from './method.ts';

export const OURS = 'ours';
export const VGROUT = 'vGROUT, June 2026';

/** Makes arms of one kind of projection that share these fixed settings. */
const armOf =
  <const How extends Pick<MethodArm, 'projection' | 'projectTarget'>, const Fixed extends object>(
    how: How,
    fixed: Fixed,
  ) =>
  <const S extends object, const F extends ArmFacts>(
    label: string,
    description: string,
    colour: MethodArm['colour'],
    settings: S,
    facts: F,
  ) => ({
    label,
    description,
    colour,
    facts,
    shadows: false,
    ...how,
    settings: { mix: 0 as const, ...fixed, ...settings },
  });

/** Plain GRPO with the arm's own settings. */
export const plainArm = armOf({ projection: 'none', projectTarget: 'gradient' }, {});

/** Trains like vanilla; only the part in the basis's span is deployed. */
export const spanArm = armOf({ projection: 'route', projectTarget: 'update' }, { dropBottomFrac: 0 });

/** The learning rate is lower because, at equal rate, a low-rank update moves the weights further than singular directions do. */
export const blocksArm = armOf(
  { projection: 'route', projectTarget: 'gradient' },
  { adapter: 'blocks', loraRank: 8, lr: 3e-3, klBeta: 0 },
);
