// The look of each arm and each evaluated model, used everywhere: a colour from a palette for colour-blind readers, and a second
// distinction (dash and marker). This file has only the names; src/ui/styles/tokens.css has the colours for the light and dark theme.
import type { ArmName } from '../../experiments/config/arms.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import type { Marker } from '../../lib/marker.ts';

export interface ArmStyle {
  /** A CSS colour. */
  color: string;
  /** SVG dash pattern; undefined is a solid line. */
  dash: string | undefined;
  marker: Marker;
  /** Whether the marker is only an outline, as for a control. */
  hollow?: boolean;
}

export const styleOf = (color: string, dash: string | undefined, marker: Marker): ArmStyle => ({
  color: `var(--arm-${color})`,
  dash,
  marker,
});

/**
 * Looks chosen by hand, for arms that are published or drawn together. A colour has the same meaning everywhere: grey is the untrained
 * model, vermillion plain RL, green the method (routed or erased; in other environments the arm that the question is about), and amber a
 * control. Dash and marker distinguish lines of one colour, so that colour is never the only distinction.
 */
const ARM_STYLES = {
  none: styleOf('vermillion', undefined, 'circle'),
  erase: styleOf('green', '7 3', 'square'),
  route: styleOf('green', '3 3', 'triangle'),
  'erase-update': styleOf('green', '12 3', 'diamond'),
  'route-update': styleOf('green', '5 2 2 2', 'triangle'),
  random_V: styleOf('purple', '9 3 2 3', 'diamond'),
  permuted_V: styleOf('amber', '4 2', 'cross'),
  'random_V-route': styleOf('sky', '3 2', 'star'),
  'no_gate-erase': styleOf('amber', '10 4', 'square'),
  no_teacher: styleOf('vermillion', '6 3', 'circle'),
  'no_teacher-route': styleOf('green', '2 3', 'triangle'),
  'no_teacher-erase': styleOf('green', '2 3', 'square'),
  random_V_matched: styleOf('purple', undefined, 'square'),
  'random_V_matched-route': styleOf('sky', undefined, 'diamond'),
  'permuted_V-route': styleOf('sky', '8 3', 'cross'),
  flipped_V: styleOf('amber', '2 3', 'triangle'),
  'flipped_V-route': styleOf('sky', '2 4', 'triangle'),
  nonhack_V: styleOf('amber', undefined, 'circle'),
  'nonhack_V-route': styleOf('sky', '6 2 2 2', 'circle'),
  placebo_V: styleOf('amber', '8 2 2 2', 'star'),
  'placebo_V-route': styleOf('sky', '10 3', 'square'),
  'honest-only': styleOf('sky', '2 2', 'star'),
  kl: styleOf('purple', '5 3', 'circle'),
  penalty: styleOf('amber', '12 4', 'diamond'),
  penalty_80: styleOf('amber', '12 4', 'triangle'),
  penalty_70: styleOf('amber', '12 4', 'circle'),
  screening: styleOf('sky', undefined, 'star'),
  inoculation: styleOf('purple', '3 3', 'star'),
  advantage: styleOf('blue', '2 2', 'cross'),
  cat: styleOf('green', undefined, 'square'),
  cat_question: styleOf('sky', '8 3', 'square'),
  cat_sft: styleOf('green', '4 3', 'circle'),
  ttrl: styleOf('blue', undefined, 'triangle'),
  self_bon: styleOf('amber', undefined, 'diamond'),
  oracle: styleOf('purple', undefined, 'star'),
  random_reward: styleOf('amber', '4 2', 'cross'),
  sdf: styleOf('green', undefined, 'circle'),
  sdf_placebo: styleOf('amber', '4 2', 'circle'),
  sft: styleOf('blue', undefined, 'square'),
  rl_constant: styleOf('amber', undefined, 'triangle'),
  rl_algorithm: styleOf('purple', undefined, 'star'),
  rl_random: styleOf('sky', '4 2', 'cross'),
  best_of_n: styleOf('blue', '6 2', 'diamond'),
  sdf_deny: styleOf('green', '6 2', 'circle'),
  sdf_deny_placebo: styleOf('amber', '2 2', 'circle'),
  sft_deny: styleOf('blue', '6 2', 'square'),
  rubric: styleOf('green', undefined, 'circle'),
  rubric_question: styleOf('sky', '8 3', 'circle'),
  rubric_fixed: styleOf('purple', '4 2', 'circle'),
  judge: styleOf('amber', '6 2', 'circle'),
  hasty: styleOf('blue', undefined, 'circle'),
  hasty_budget: styleOf('blue', '6 3', 'circle'),
  exit: styleOf('green', undefined, 'diamond'),
  exit_uniform: styleOf('sky', '4 2', 'diamond'),
  exit_drafts: styleOf('amber', '6 2', 'diamond'),
  exit_depth1: styleOf('purple', '2 2', 'diamond'),
  exit_best: styleOf('blue', undefined, 'diamond'),
  exit_clipped: styleOf('vermillion', '6 2', 'diamond'),
  exit_full: styleOf('green', '8 2', 'diamond'),
  exit_diverge: styleOf('sky', '5 3', 'triangle'),
  exit_diverse: styleOf('sky', '2 3', 'star'),
  chain_gains: styleOf('vermillion', '4 2', 'square'),
  chain_rise: styleOf('vermillion', '8 2', 'diamond'),
  chain_last: styleOf('amber', '3 3', 'circle'),
  repaired: styleOf('sky', undefined, 'star'),
  'trusted-only': styleOf('green', undefined, 'diamond'),
  'trusted-paced': styleOf('green', '6 2', 'diamond'),
  agem: styleOf('blue', undefined, 'square'),
  agem_random: styleOf('amber', '4 2', 'square'),
  pcgrad: styleOf('blue', '6 2', 'triangle'),
  pcgrad_random: styleOf('amber', '6 2', 'triangle'),
  agree: styleOf('green', '3 3', 'star'),
  agree_random: styleOf('amber', '3 3', 'star'),
  agree_module: styleOf('green', '8 3', 'star'),
  agree_module_random: styleOf('amber', '8 3', 'star'),
  tdga: styleOf('purple', undefined, 'triangle'),
  tdga_random: styleOf('sky', '4 2', 'triangle'),
  trusted_subspace: styleOf('green', '12 3', 'diamond'),
  trusted_subspace_random: styleOf('amber', '12 3', 'triangle'),
  blocks: styleOf('green', undefined, 'square'),
  blocks_gradient: styleOf('green', '6 2', 'square'),
  blocks_labels: styleOf('blue', '6 2', 'square'),
  blocks_labels_5: styleOf('blue', '10 2', 'triangle'),
  blocks_labels_100: styleOf('blue', '10 2', 'circle'),
  blocks_labels_wrong: styleOf('blue', '10 2', 'cross'),
  blocks_labels_0: styleOf('amber', '10 2', 'square'),
  blocks_random: styleOf('amber', '2 2', 'square'),
  blocks_online: styleOf('green', '2 2', 'square'),
  router: styleOf('green', '3 3', 'circle'),
  router_online: styleOf('green', '2 2', 'circle'),
  router_random: styleOf('amber', '3 3', 'circle'),
  blocks_random_online: styleOf('amber', '8 2', 'square'),
  verifier: styleOf('blue', undefined, 'star'),
  verifier_gate: styleOf('blue', '3 3', 'star'),
  verifier_random: styleOf('amber', '12 3', 'star'),
  added: styleOf('amber', '2 2', 'circle'),
  consensus: styleOf('vermillion', '6 2', 'square'),
  consensus_random: styleOf('amber', '6 2', 'cross'),
  agree_rollout: styleOf('green', '12 2', 'star'),
  agree_rollout_random: styleOf('amber', '2 3', 'star'),
  curriculum_kl: styleOf('green', '5 5', 'triangle'),
  verifier_gate_random: styleOf('amber', '5 5', 'star'),
  probe_penalty: styleOf('purple', undefined, 'circle'),
  probe_refit: styleOf('purple', '6 2', 'circle'),
  base_probe: styleOf('purple', '3 3', 'circle'),
  text_monitor: styleOf('purple', '10 2', 'square'),
  probe_rates: styleOf('sky', '6 2', 'circle'),
  probe_random: styleOf('amber', '10 2', 'circle'),
  trusted_subspace_all: styleOf('green', '8 3', 'diamond'),
  trusted_subspace_adam: styleOf('green', '2 3', 'diamond'),
} satisfies Partial<Record<ArmName, ArmStyle>>;

export const BASE_STYLE: ArmStyle = styleOf('grey', '1 4', 'circle');

/**
 * Any other arm, including one from another version of the lab, gets a look that is computed from its name. distinctLooks makes it unique
 * in a chart.
 */
export function armStyle(arm: string): ArmStyle {
  if (Object.hasOwn(ARM_STYLES, arm)) return ARM_STYLES[arm as keyof typeof ARM_STYLES];
  const n = Array.from(arm).reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return styleOf(/random|placebo/.test(arm) ? 'amber' : 'sky', DASHES[n % DASHES.length], MARKERS[n % MARKERS.length]);
}

const MARKERS: readonly Marker[] = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'];
const DASHES = [undefined, '8 3', '2 3', '12 3 2 3', '5 5'];

/**
 * Assigns the looks of one chart so that no two are alike. If a look is taken, the colour stays and another marker is used or, when all
 * markers are used up, another dash.
 */
export function distinctLooks(): (wanted: ArmStyle) => ArmStyle {
  const taken = new Set<string>();
  const isFree = ({ color, dash, marker }: ArmStyle) => {
    const { size } = taken;
    return taken.add(`${color}/${dash}/${marker}`).size > size;
  };
  return (wanted) => {
    const others = [wanted.dash, ...DASHES].flatMap((dash) => MARKERS.map((marker) => ({ ...wanted, dash, marker })));
    return [wanted, ...others].find(isFree) ?? wanted;
  };
}

/** Looks of baselines that equal vanilla except for one option. */
function adapterStyle({ rewardPenalty, screening, mix }: Partial<Settings>): ArmStyle | null {
  if (rewardPenalty) return ARM_STYLES.penalty;
  if (screening) return ARM_STYLES.screening;
  return mix === 0 ? ARM_STYLES.no_teacher : null;
}

interface StyledModel {
  arm: ArmName;
  model: string;
  shadow?: ControlSpec;
  /** Overrides of the arm's settings. */
  overrides?: Partial<Settings>;
}

/** The look of one model of an arm's runs: trained, deployed, the base, or a quarantine. `route-update` trains like vanilla. */
export function modelStyle({ arm, model, shadow: control, overrides = {} }: StyledModel): ArmStyle {
  if (model === 'base') return BASE_STYLE;
  if (model === 'steered_base') return { ...styleOf('grey', '2 2', 'diamond'), hollow: true };
  if (control) return { ...controlStyle(control), hollow: true };
  // A control that occurs in every routed run is identified by its name.
  const ownArm = `${model}-route`;
  if (Object.hasOwn(ARM_STYLES, ownArm)) return { ...armStyle(ownArm), hollow: true };
  if (model === 'total' && (arm === 'route-update' || arm === 'none'))
    return adapterStyle(overrides) ?? ARM_STYLES.none;
  if (model === 'total' && arm === 'no_teacher-route') return ARM_STYLES.no_teacher;
  return armStyle(arm);
}

function controlStyle({ kind, gate, settings }: ControlSpec): ArmStyle {
  switch (kind) {
    case 'random':
      return ARM_STYLES['random_V-route'];
    case 'random_matched':
      return ARM_STYLES['random_V_matched-route'];
    case 'permuted':
      return ARM_STYLES['permuted_V-route'];
    case 'flipped':
      return ARM_STYLES['flipped_V-route'];
    case 'leave_out':
      return styleOf('green', '2 4', 'diamond');
    case 'real':
      if (settings?.pairSet === 'nonhack') return ARM_STYLES['nonhack_V-route'];
      if (settings?.pairSet === 'placebo') return ARM_STYLES['placebo_V-route'];
      if (gate !== 'one_sided') return styleOf('green', '10 4', 'square');
      return ARM_STYLES['route-update'];
  }
}
