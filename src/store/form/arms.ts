// The arms in the form's short list, and the arms that a search finds among all arms that the environment offers.
import { ARM_NAMES, ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { isOffered, presetIn } from '../../experiments/config/preset-in.ts';
import type { Draft } from '../draft.ts';

const AT_FIRST_SIGHT = 6;

/** Arms that an environment's question is about. All other arms are controls and baselines. */
const MAIN_ARMS: readonly ArmName[] = [
  'none',
  'erase',
  'route',
  'erase-update',
  'route-update',
  'cat',
  'ttrl',
  'rubric',
  'hasty',
  'exit',
  'sdf',
  'sft',
  'rl_constant',
  'rl_algorithm',
];

/** Every arm that can act in the environment. */
export const offeredArms = (environment: string): ArmName[] => ARM_NAMES.filter((name) => isOffered(environment, name));

/**
 * The preset's own arms, then the main ones, up to six, in the order of tables. Every chosen arm is included, so that it can be removed.
 */
export function shownArms({ preset, arms, fields }: Pick<Draft, 'preset' | 'arms' | 'fields'>): ArmName[] {
  const environment = fields.environment.trim();
  const offered = offeredArms(environment);
  const byUse = [
    ...presetIn(preset, environment).arms,
    ...MAIN_ARMS.filter((name) => offered.includes(name)),
    ...offered,
  ];
  const first = [...new Set(byUse)].slice(0, AT_FIRST_SIGHT);
  return ARM_NAMES.filter((name) => first.includes(name) || arms.includes(name));
}

/** Arms whose name, id or description contains every word of the query. */
export function findArms(query: string, environment: string): ArmName[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return offeredArms(environment).filter((name) => {
    const text = `${ARMS[name].label} ${name} ${ARMS[name].description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
