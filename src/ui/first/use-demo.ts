// A world's published demo, as a hook: undefined while it is on its way, null where there is none.
import { useEffect, useState } from 'react';
import type { PublishedDemo } from '../../experiments/reading/demo.ts';
import { findWorld, WORLD_NAMES } from '../../experiments/worlds/registry.ts';
import { useLabActions } from '../lab-context.ts';

export function useDemo(environment: string): PublishedDemo | null | undefined {
  const published = useLabActions().published(document.baseURI);
  const id = findWorld(environment)?.id ?? '';
  // A file of problems has none.
  const hasOne = WORLD_NAMES.includes(id);
  const [, tell] = useState(0);
  useEffect(() => {
    if (!hasOne) return;
    let isGone = false;
    void published.load(id).then(() => {
      if (!isGone) tell((count) => count + 1);
    });
    return () => {
      isGone = true;
    };
  }, [published, id, hasOne]);
  return hasOne ? published.now(id) : null;
}
