// An arm as data: what it fixes on top of an experiment's settings.
import type { Projection, ProjectTarget } from '../../../algorithms/optimizer.ts';
import type { ArmFacts } from '../../methods/method.ts';
import type { Settings } from '../settings.ts';

export interface Arm {
  /** Short name in legends and tables. */
  label: string;
  description: string;
  projection: Projection;
  projectTarget: ProjectTarget;
  settings: Partial<Settings>;
  /** Key of a colour in the page's palette. */
  colour: 'vanilla' | 'erase' | 'route' | 'control' | 'control2' | 'control3' | 'teacher';
  /** Whether runs have the standard controls (route/update only). */
  shadows: boolean;
  /** Set if its reward does not use correct answers, although the environment's own reward does. */
  unlabelled?: boolean;
  /** Labels, cost and source of an arm of the arena. */
  facts?: ArmFacts;
}

/** Whether training is unprojected: plain arms, and route/update, whose quarantines never affect training. */
export const trainsUnprojected = ({ projection, projectTarget }: Pick<Arm, 'projection' | 'projectTarget'>): boolean =>
  projection === 'none' || (projection === 'route' && projectTarget === 'update');

export const arm = (
  label: string,
  description: string,
  projection: Projection,
  projectTarget: ProjectTarget,
  colour: Arm['colour'],
  settings: Partial<Settings> = {},
): Arm => ({
  label,
  description,
  projection,
  projectTarget,
  settings,
  colour,
  shadows: projection !== 'none' && trainsUnprojected({ projection, projectTarget }),
});

const along =
  (projection: Projection) =>
  (label: string, description: string, colour: Arm['colour'], settings: Partial<Settings> = {}): Arm =>
    arm(label, description, projection, 'gradient', colour, settings);

/** Plain GRPO with the arm's own settings. */
export const plain = along('none');
/** GRPO whose gradient loses its part along a basis. */
export const erased = along('erase');
/** GRPO whose gradient's part along a basis goes into a quarantine. */
export const routed = along('route');
