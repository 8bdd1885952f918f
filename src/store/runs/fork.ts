// A fork as the form's experiment: the parent's own settings, which can be changed from a given step on. Loaded when a run is first forked.

import { armLabel } from '../../experiments/analysis/names.ts';
import { changesAtFork } from '../../experiments/analysis/since-fork.ts';
import { forkAt } from '../../experiments/config/experiment-of.ts';
import { settingText } from '../../experiments/config/settings.ts';
import { type ExperimentSpec, type Fork, parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { choiceFor } from '../../experiments/records/numerics.ts';
import { FIELD_INFO } from '../draft.ts';

/** Throws SpecError if this run cannot be forked at that step. */
export function forkOf(run: RunRecord, step: number): ExperimentSpec {
  const fork = forkAt({ run: run.id, step, spec: run.spec });
  const { preset, overrides } = fork;
  // At a finished run's last step no steps remain, so the fork continues for the same number of steps again.
  const steps = step < run.spec.steps ? {} : { steps: 2 * run.spec.steps };
  // The parent's steps can be reproduced only on the kind of device that made them.
  const device = choiceFor('auto', run.device);
  return parseExperimentSpec({ preset, device, overrides: { ...overrides, ...steps }, fork });
}

/** `vanilla, seed 41, at step 20`. */
export const forkText = ({ arm, seed, step }: Pick<Fork, 'arm' | 'seed' | 'step'>): string =>
  `${armLabel(arm)}, seed ${seed}, at step ${step}`;

/**
 * What a fork changes, and which of its arms change nothing: `From step 3 on: vanilla → erase. Without a change, vanilla repeats its
 * parent.`
 */
export function forkChangesText(spec: ExperimentSpec, step: number): string {
  const changes = forkChanges(spec);
  if (changes.length === 0) return 'Nothing is changed: it repeats its parent.';
  const same = resolveRuns(spec).filter((run) => changesAtFork(run).length === 0);
  const names = [...new Set(same.map(({ arm }) => armLabel(arm)))];
  const repeats = names.length > 0 ? ` Without a change, ${names.join(' and ')} repeats its parent.` : '';
  return `From step ${step + 1} on: ${changes.join('; ')}.${repeats}`;
}

/** The changes of an experiment's runs at their fork, without duplicates: `Learning rate 0.03 → 0.01`. */
function forkChanges(spec: ExperimentSpec): string[] {
  const labels = new Map<string, string>(FIELD_INFO.map(({ name, label }) => [name, label]));
  const text = (value: unknown) => settingText(value as string) || 'none';
  const all = resolveRuns(spec).flatMap((run) =>
    changesAtFork(run).map(({ name, before, after }) =>
      name === 'arm'
        ? `${armLabel(String(before))} → ${armLabel(String(after))}`
        : `${labels.get(name)} ${text(before)} → ${text(after)}`,
    ),
  );
  return [...new Set(all)];
}
