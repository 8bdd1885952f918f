// The store of real problems, as a hook: it arrives with its section, and lives on when that is left.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { ProblemFiles, ProblemFilesState } from '../../store/models/problem-files.ts';
import { useLabActions } from '../lab-context.ts';

/** Suspends until the part of the page that knows problem files is there. */
export function useProblemFileActions(): ProblemFiles {
  return use(useLabActions().openProblemFiles());
}

export function useProblemFiles<T>(selector: (state: ProblemFilesState) => T): T {
  return useStore(useProblemFileActions().store, selector);
}
