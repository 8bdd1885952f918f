// The Bases view's two stores, as hooks.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { BasisBench, BasisBenchState } from '../../store/bases/bench.ts';
import type { PairEditorState } from '../../store/bases/pair-editor.ts';
import { useLabActions } from '../lab-context.ts';

export function usePairEditor<T>(selector: (state: PairEditorState) => T): T {
  return useStore(useLabActions().pairs.store, selector);
}

/** Suspends until it is there. */
export function useBasisBenchActions(): BasisBench {
  return use(useLabActions().openBasisBench());
}

export function useBasisBench<T>(selector: (state: BasisBenchState) => T): T {
  return useStore(useBasisBenchActions().store, selector);
}
