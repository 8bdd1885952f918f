// Connects the diagram of a step to the cursor of the charts, so that a step selected in one is shown in the other.
import { useEffect, useRef, useState } from 'react';
import { newCursor, type SharedCursor } from '../charts/shared-cursor.ts';
import type { Player } from './use-player.ts';

/**
 * A player that goes to the step at the charts' cursor, and moves the cursor when it goes to a step.
 * @param places positions of the steps on the charts' axis, ascending
 */
export function useFollowed(player: Player, shared: SharedCursor, places: readonly number[]): Player {
  const [own] = useState(newCursor);
  const latest = useRef({ player, places });
  useEffect(() => {
    latest.current = { player, places };
  });
  useEffect(
    () =>
      shared.subscribe(() => {
        const { x, by } = shared;
        if (x === null || by === own) return;
        const { player: now, places: all } = latest.current;
        const after = all.findIndex((at) => at > x);
        const to = Math.max(0, (after < 0 ? all.length : after) - 1);
        if (to !== now.at || now.isPlaying) now.go(to);
      }),
    [shared, own],
  );
  return {
    ...player,
    go(at) {
      player.go(at);
      shared.move(places[Math.max(0, Math.min(at, places.length - 1))] ?? null, own);
    },
    leave: () => shared.move(null, own),
  };
}
