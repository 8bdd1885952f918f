// The agents' store as a hook. It is made with the view's own files and lives on when the view is left.
import { useStore } from 'zustand/react';
import { type AreState, createAre } from '../../store/are/are.ts';

export const are = createAre();

export const useAre = <T>(selector: (state: AreState) => T): T => useStore(are.store, selector);
