// React hooks over the stores: the lab by context, and for each store one hook for its actions and one for its state. A view's store is
// loaded with the view and remains when the user leaves the view. Its hooks suspend until it is loaded.
import { createContext, use, useContext } from 'react';
import { useStore } from 'zustand/react';
import type { StoreApi } from 'zustand/vanilla';
import type { LabState } from '../store/lab-state.ts';
import type { Lab } from '../store/page/lab-store.ts';

export const LabContext = createContext<Lab | null>(null);

export function useLabActions(): Lab {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('useLab outside of LabContext');
  return lab;
}

export function useLab<T>(selector: (state: LabState) => T): T {
  return useStore(useLabActions().store, selector);
}

/** The two hooks of a view's store. */
function hooksOf<State, Actions extends { store: StoreApi<State> }>(
  open: (lab: Lab) => Promise<Actions & { store: StoreApi<State> }>,
) {
  const useActions = (): Actions => use(open(useLabActions()));
  const useOwn = <T>(selector: (state: State) => T): T => useStore(useActions().store, selector);
  return [useActions, useOwn] as const;
}

export const [useProbeActions, useProbe] = hooksOf((lab) => lab.openProbe());
export const [useModelActions, useModels] = hooksOf((lab) => lab.openModels());
export const [usePlaygroundActions, usePlayground] = hooksOf((lab) => lab.openPlayground());
export const [useBasisBenchActions, useBasisBench] = hooksOf((lab) => lab.openBasisBench());
export const [useProblemFileActions, useProblemFiles] = hooksOf((lab) => lab.openProblemFiles());
export const [useDataSetActions, useDataSets] = hooksOf((lab) => lab.openDataSets());
export const [useBasisTrialActions, useBasisTrial] = hooksOf((lab) => lab.openBasisTrial());
export const [usePairEditorActions, usePairEditor] = hooksOf((lab) => lab.openPairEditor());
export const [useSweepActions, useSweeps] = hooksOf((lab) => lab.openSweeps());
