// The Models view's store, as a hook: it arrives with the view, and lives on when the view is left.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { Models } from '../../store/models/models.ts';
import type { ModelsState } from '../../store/models/state.ts';
import { useLabActions } from '../lab-context.ts';

/** Suspends until the part of the page that knows models is there. */
export function useModelActions(): Models {
  return use(useLabActions().openModels());
}

export function useModels<T>(selector: (state: ModelsState) => T): T {
  return useStore(useModelActions().store, selector);
}
