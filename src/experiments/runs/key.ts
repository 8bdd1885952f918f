// The key of a run, as one readable text: equal keys are equal runs, whatever question asks for them and whatever arm or preset they are
// written under. A setting at its default is left out, so that a later setting does not change old keys.

import { oncePer } from '../../lib/once-per.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON, SETTING_NAMES } from '../config/settings.ts';

/** Settings that change no number of a run. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['checkpointEvery']);

/** `route/update, seed 41, honestShare 0, problems 128, promptsPerStep 4, steps 40`. Computed once per spec, since every question asks for
 *  every run's. */
export const runKey = oncePer((spec: RunSpec): string => {
  const settings = [...SETTING_NAMES]
    .filter((name) => !WITHOUT_EFFECT.has(name) && spec[name] !== undefined)
    .filter((name) => JSON.stringify(spec[name]) !== JSON.stringify(COMMON[name]))
    .sort()
    .map((name) => `${name} ${typeof spec[name] === 'string' ? spec[name] : JSON.stringify(spec[name])}`);
  // Plain GRPO projects nothing, so that neither target means anything.
  const projection = spec.projection === 'none' ? 'none' : `${spec.projection}/${spec.projectTarget}`;
  return [projection, `seed ${spec.seed}`, ...settings].join(', ');
});

/** The key of a quarantine, whatever its name; a setting that repeats the run's own is left out. */
export function controlKey({ kind, gate, k, mode, settings = {} }: ControlSpec, run: RunSpec): string {
  const own = Object.entries(settings)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(run[name as keyof RunSpec]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([kind, gate, k, mode, own]);
}
