// The arena's published sheets, read once for as long as the page is open; what failed is read anew.
import { useEffect, useState } from 'react';
import { openArena, type PublishedArena } from '../../store/findings/arena.ts';
import { type Problem, problemOf } from '../../store/lab-state.ts';

let coming: Promise<PublishedArena[]> | null = null;

/** Null while they are on their way. */
export function useArena(): { published: PublishedArena[] | null; problem: Problem | null; again: () => void } {
  const [published, setPublished] = useState<PublishedArena[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another try
  useEffect(() => {
    let current = true;
    setProblem(null);
    coming ??= openArena(document.baseURI);
    coming
      .then((found) => {
        if (current) setPublished(found);
      })
      .catch((error) => {
        coming = null;
        if (current) setProblem(problemOf(error));
      });
    return () => {
      current = false;
    };
  }, [round]);
  return { published, problem, again: () => setRound((before) => before + 1) };
}
