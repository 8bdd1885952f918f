// The Probe view's store, as a hook: it arrives with the view, and lives on when the view is left.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { Probe, ProbeState } from '../../store/kinds/probe/probe.ts';
import { useLabActions } from '../lab-context.ts';

/** Suspends until the part of the page that knows the probe is there. */
export function useProbeActions(): Probe {
  return use(useLabActions().openProbe());
}

export function useProbe<T>(selector: (state: ProbeState) => T): T {
  return useStore(useProbeActions().store, selector);
}
