// How each arm and each evaluated model looks, everywhere: a colour of the colour-blind-safe set, and a second cue (dash
// and marker). Names only; what the colours are in light and dark stands in src/ui/styles/tokens.css.
import type { ArmName } from '../experiments/spec.ts';

export type Marker = 'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'star';

export interface ArmStyle {
  /** A CSS colour. */
  color: string;
  /** SVG dash pattern; undefined is a solid line. */
  dash: string | undefined;
  marker: Marker;
}

const style = (color: string, dash: string | undefined, marker: Marker): ArmStyle => ({
  color: `var(--arm-${color})`,
  dash,
  marker,
});

/** The gradient and the update version of an arm share a family colour; dash and marker tell them apart. */
const ARM_STYLES: Readonly<Record<ArmName, ArmStyle>> = {
  none: style('vermillion', undefined, 'circle'),
  erase: style('blue', '7 3', 'square'),
  route: style('green', '3 3', 'triangle'),
  'erase-update': style('blue', '12 3', 'diamond'),
  'route-update': style('green', '5 2 2 2', 'triangle'),
  random_V: style('purple', '9 3 2 3', 'diamond'),
  permuted_V: style('amber', '4 2', 'cross'),
  'random_V-route': style('sky', '3 2', 'star'),
  'no_gate-erase': style('amber', '10 4', 'square'),
  no_teacher: style('grey', undefined, 'circle'),
  'no_teacher-route': style('grey', '5 2 2 2', 'triangle'),
};

export const BASE_STYLE: ArmStyle = style('grey', '1 4', 'circle');

/** An arm of another version of the lab is grey rather than an error. */
export function armStyle(arm: string): ArmStyle {
  return ARM_STYLES[arm as ArmName] ?? style('grey', '4 3', 'cross');
}
