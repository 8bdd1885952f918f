// An arm as data, which an experiment fixes on top of its settings.
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
  /** Carries the standard controls (route/update only). */
  shadows: boolean;
  /** Its reward does not know right answers, although the environment's own reward does. */
  unlabelled?: boolean;
  /** Facts on an arm of the arena. */
  facts?: ArmFacts;
}

/** Whether training projects nothing: plain arms, and route/update, whose quarantines never touch the training. */
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

/** Plain GRPO, with settings of its own. */
export const plain = along('none');
/** GRPO whose gradient loses its part along a basis. */
export const erased = along('erase');
/** GRPO whose gradient's part along a basis goes into a quarantine. */
export const routed = along('route');
