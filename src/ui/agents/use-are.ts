// The agents' store as a hook. It is made with the view's own files and lives on when the view is left.
import { useDeferredValue } from 'react';
import { useStore } from 'zustand/react';
import { startAgentsWorker } from '../../lab/agents/client.ts';
import { createAre } from '../../store/agents/are.ts';
import type { AreState } from '../../store/agents/state.ts';

export const are = createAre(startAgentsWorker);

export const useAre = <T>(selector: (state: AreState) => T): T => useStore(are.store, selector);

/** The same for panels that are long to draw: drawn after the rest, in slices, and begun anew where the state goes on meanwhile. */
export const useAreLater = <T>(selector: (state: AreState) => T): T => useDeferredValue(useAre(selector));
