// A run as segments with one spec each: a single one for a plain run; for a fork its parent's segments, then its own.
import type { RunSpec } from './run-spec.ts';
import { COMMON, type Settings, settingsOf } from './settings.ts';

/** Steps of a run that are trained under one spec: those after the previous segment, up to `until`. */
export interface Segment {
  spec: RunSpec;
  until: number;
}

/** In order; a run that is not a fork has one segment. */
export function segmentsOf(spec: RunSpec): Segment[] {
  const { fork } = spec;
  const before = fork ? segmentsOf(fork.spec).filter(({ until }) => until < fork.step) : [];
  return [...before, ...(fork ? [{ spec: fork.spec, until: fork.step }] : []), { spec, until: spec.steps }];
}

/** The spec that a run's checkpoint after `step` steps has; at the fork itself it is still the parent's. */
export function specAt(spec: RunSpec, step: number): RunSpec {
  return (segmentsOf(spec).find(({ until }) => step <= until) ?? { spec }).spec;
}

/** Key of the settings that a replay of stored steps reads: how Δ is split into quarantines and, with weight decay, the learning rates. */
function replayedBy(spec: RunSpec): string {
  const all: RunSpec & Settings = { ...COMMON, ...spec };
  const rates = all.weightDecay === 0 ? [] : [all.lr, all.lrSchedule, all.warmupFrac, all.steps];
  const split = all.projection === 'route' ? [all.shadows, settingsOf('projection').map((name) => all[name])] : [];
  return JSON.stringify([all.projection, all.weightDecay, rates, split]);
}

/** Whether a single replay of all stored steps, the parent's and the fork's own, reproduces the fork. */
export const replaysAlike = (parent: RunSpec, child: RunSpec): boolean => replayedBy(parent) === replayedBy(child);
