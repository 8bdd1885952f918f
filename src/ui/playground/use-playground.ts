// The playground's own store, as a hook: it arrives with the view, and lives on when the view is left.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { Playground, PlaygroundState } from '../../store/playground/playground.ts';
import { useLabActions } from '../lab-context.ts';

/** Suspends until it is there. */
export function usePlaygroundActions(): Playground {
  return use(useLabActions().openPlayground());
}

export function usePlayground<T>(selector: (state: PlaygroundState) => T): T {
  return useStore(usePlaygroundActions().store, selector);
}
