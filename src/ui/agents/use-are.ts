// The agents' store as a hook. It is created when the view's chunk is loaded, and remains when the user leaves the view.
import { useDeferredValue } from 'react';
import { useStore } from 'zustand/react';
import { startAgentsWorker } from '../../lab/agents/client.ts';
import { createAre } from '../../store/agents/are.ts';
import type { AreState } from '../../store/agents/state.ts';

export const are = createAre(startAgentsWorker);

export const useAre = <T>(selector: (state: AreState) => T): T => useStore(are.store, selector);

/** For panels that are slow to draw: React draws them after the rest, in slices, and restarts if the state changes meanwhile. */
export const useDeferredAre = <T>(selector: (state: AreState) => T): T => useDeferredValue(useAre(selector));
