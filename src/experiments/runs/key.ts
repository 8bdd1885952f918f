// The key of a run, as one readable text: equal keys mean equal runs, whichever question, arm or preset they come from. A setting at its default is
// left out, so that new settings do not change old keys.

import { oncePer } from '../../lib/once-per.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON, SETTING_NAMES } from '../config/settings.ts';

/** Settings that affect no number of a run. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['checkpointEvery']);

/** `route/update, seed 41, honestShare 0, problems 128, promptsPerStep 4, steps 40`. Cached per spec, since every question looks up every
 *  run. */
export const runKey = oncePer((spec: RunSpec): string => {
  const settings = [...SETTING_NAMES]
    .filter((name) => !WITHOUT_EFFECT.has(name) && spec[name] !== undefined)
    .filter((name) => JSON.stringify(spec[name]) !== JSON.stringify(COMMON[name]))
    .sort()
    .map((name) => `${name} ${typeof spec[name] === 'string' ? spec[name] : JSON.stringify(spec[name])}`);
  // Without projection the target has no meaning.
  const projection = spec.projection === 'none' ? 'none' : `${spec.projection}/${spec.projectTarget}`;
  return [projection, `seed ${spec.seed}`, ...settings].join(', ');
});

/** The key of a quarantine, independent of its name; settings that equal the run's own are left out. */
export function controlKey({ kind, gate, k, mode, settings = {} }: ControlSpec, run: RunSpec): string {
  const own = Object.entries(settings)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(run[name as keyof RunSpec]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([kind, gate, k, mode, own]);
}
