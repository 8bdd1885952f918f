// The playground's own store, as a hook.
import { useStore } from 'zustand/react';
import type { PlaygroundState } from '../../store/playground/playground.ts';
import { useLabActions } from '../lab-context.ts';

export function usePlayground<T>(selector: (state: PlaygroundState) => T): T {
  return useStore(useLabActions().playground.store, selector);
}
