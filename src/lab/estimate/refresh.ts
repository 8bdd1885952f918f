// What extracting the bases anew during a run costs (`refreshEvery`): how often, how many rows of labelled pairs are scored each
// time, and what is held meanwhile. The first extraction is counted with every run's preparation (estimate.ts).
import { recipeOf, refreshIsDue } from '../../experiments/bases/recipe.ts';
import type { RunSpec } from '../../experiments/spec/spec.ts';

interface RefreshedBasis {
  /** Labelled pairs that are scored, held-out ones included. */
  pairs: number;
  /** Axes a module. */
  k: number;
  every: number;
}

/** The run's own basis and those of its quarantines, as far as they are extracted again at all. */
function refreshedBases(run: RunSpec): RefreshedBasis[] {
  // Matched random axes are made once, when the run's steps are all there.
  const shadows = run.shadows.filter(({ kind }) => kind !== 'random_matched');
  return [...(run.basisSource === 'random_matched' ? [] : [null]), ...shadows]
    .map((shadow) => recipeOf(run, shadow))
    .filter(({ from, refreshEvery }) => from === 'pairs' && refreshEvery > 0 && refreshEvery < run.steps)
    .map(({ pairs, k, refreshEvery }) => ({ pairs, k, every: refreshEvery }));
}

/** Rows (tokens) of labelled pairs that all extractions of a run score after its first step; two completions a pair. */
export function refreshRows(run: RunSpec, rowsPerCompletion: number): number {
  const times = (every: number) =>
    Array.from({ length: run.steps }, (_, step) => step).filter((step) => refreshIsDue(every, step)).length;
  return refreshedBases(run).reduce((rows, { pairs, every }) => rows + times(every) * 2 * pairs * rowsPerCompletion, 0);
}

/** What a run holds besides while it extracts again: vectors of all knobs, and bases on the device by their axes a module. */
export function refreshSize(run: RunSpec): { vectors: number; bases: number[] } {
  const bases = refreshedBases(run);
  if (bases.length === 0) return { vectors: 0, bases: [] };
  return {
    // The knobs that each was extracted at (a checkpoint names them), and the gradients of one basis's pairs at a time.
    vectors: bases.length + Math.max(...bases.map(({ pairs }) => 2 * pairs)),
    // The new projector is there before the old one goes.
    bases: [Math.max(...bases.map(({ k }) => k))],
  };
}
