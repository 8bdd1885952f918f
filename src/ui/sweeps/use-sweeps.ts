// The store of sweeps, as a hook: it arrives with its view, and lives on when that is left. What the address brings is taken once: a
// sweep into the form, work for a relay as an offer; the token does not stay in the address.
import { use, useEffect } from 'react';
import { useStore } from 'zustand/react';
import { readWorkLink } from '../../experiments/sweep/relay/messages.ts';
import { isSweepHash, isWorkHash } from '../../share/view-hash.ts';
import { decodeSweep } from '../../store/sweeps/draft.ts';
import type { Sweeps, SweepsState } from '../../store/sweeps/sweeps.ts';
import { useLabActions } from '../lab-context.ts';

/** Suspends until the part of the page that knows sweeps is there. */
export function useSweepActions(): Sweeps {
  return use(useLabActions().openSweeps());
}

export function useSweeps<T>(selector: (state: SweepsState) => T): T {
  return useStore(useSweepActions().store, selector);
}

export function useSweepAddress(): void {
  const actions = useSweepActions();
  useEffect(() => {
    const { hash } = window.location;
    if (isWorkHash(hash)) {
      const link = readWorkLink(hash);
      if (link) actions.offer(link);
      window.history.replaceState(window.history.state, '', `${window.location.pathname}${window.location.search}`);
    } else if (isSweepHash(hash)) decodeSweep(hash).then(actions.open, actions.fail);
  }, [actions]);
}
