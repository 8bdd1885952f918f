// A run as the segments that are trained under one spec each: one for a plain run, and for a fork its parent's before its own.
import type { RunSpec } from './run-spec.ts';
import { COMMON, type Settings, settingsOf } from './settings.ts';

/** Steps of a run that are trained under one spec: those after the previous segment, up to `until`. */
export interface Segment {
  spec: RunSpec;
  until: number;
}

/** In order; a run that is no fork is one segment. */
export function segmentsOf(spec: RunSpec): Segment[] {
  const { fork } = spec;
  const before = fork ? segmentsOf(fork.spec).filter(({ until }) => until < fork.step) : [];
  return [...before, ...(fork ? [{ spec: fork.spec, until: fork.step }] : []), { spec, until: spec.steps }];
}

/** The spec under which a run made its checkpoint after so many steps: at the fork itself it is still the parent's. */
export function specAt(spec: RunSpec, step: number): RunSpec {
  return (segmentsOf(spec).find(({ until }) => step <= until) ?? { spec }).spec;
}

/** Key of the settings that a replay of kept steps reads: how Δ is split into quarantines, and, where weights decay, the rates. */
function replayedBy(spec: RunSpec): string {
  const all: RunSpec & Settings = { ...COMMON, ...spec };
  const rates = all.weightDecay === 0 ? [] : [all.lr, all.lrSchedule, all.warmupFrac, all.steps];
  const split = all.projection === 'route' ? [all.shadows, settingsOf('projection').map((name) => all[name])] : [];
  return JSON.stringify([all.projection, all.weightDecay, rates, split]);
}

/** Whether one replay of all kept steps, the parent's and the fork's own, makes again what the fork made. */
export const replaysAlike = (parent: RunSpec, child: RunSpec): boolean => replayedBy(parent) === replayedBy(child);
