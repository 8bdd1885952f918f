// React's thin skin over the store: the lab by context, and a selector hook.
import { createContext, useContext } from 'react';
import { useStore } from 'zustand/react';
import type { LabState } from '../store/lab-state.ts';
import type { Lab } from '../store/lab-store.ts';

export const LabContext = createContext<Lab | null>(null);

export function useLabActions(): Lab {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('useLab outside of LabContext');
  return lab;
}

export function useLab<T>(selector: (state: LabState) => T): T {
  return useStore(useLabActions().store, selector);
}
