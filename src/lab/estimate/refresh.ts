// What extracting bases costs, before the first step and anew during a run (`refreshEvery`): how often, how many rows of labelled
// pairs are scored each time, and what is held meanwhile.
import { recipeOf, refreshIsDue, setKey } from '../../experiments/bases/recipe.ts';
import { termsOf } from '../../experiments/config/environments.ts';
import type { RunSpec } from '../../experiments/config/spec.ts';
import { sum } from '../../stats/index.ts';

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
  const controls = run.shadows.filter(({ kind }) => kind !== 'random_matched');
  return [...(run.basisSource === 'random_matched' ? [] : [null]), ...controls]
    .map((control) => recipeOf(run, control))
    .filter(({ from, refreshEvery }) => from === 'pairs' && refreshEvery > 0 && refreshEvery < run.steps)
    .map(({ pairs, k, refreshEvery }) => ({ pairs, k, every: refreshEvery }));
}

/** Rows (tokens) of labelled pairs that all extractions of a run score after its first step; two completions a pair. */
export function refreshRows(run: RunSpec, rowsPerCompletion: number): number {
  const times = (every: number) =>
    Array.from({ length: run.steps }, (_, step) => step).filter((step) => refreshIsDue(every, step)).length;
  return refreshedBases(run).reduce((rows, { pairs, every }) => rows + times(every) * 2 * pairs * rowsPerCompletion, 0);
}

/** Rows of labelled pairs that are scored before anything is trained: of every set once, whichever runs and quarantines read it. */
export function extractionRows(runs: readonly RunSpec[], rowsPerCompletion: number): number {
  const sets = new Map<string, number>();
  for (const run of runs) {
    if (termsOf(run.environment)?.pairs === false) continue;
    const controls = run.shadows.filter(({ kind }) => kind !== 'random_matched');
    for (const recipe of [null, ...controls].map((control) => recipeOf(run, control)))
      if (recipe.from === 'pairs') sets.set(setKey(recipe), recipe.pairs);
  }
  return sum([...sets.values()]) * 2 * rowsPerCompletion;
}

/** What a run holds besides while it extracts again: vectors of all adapter parameters, and bases on the device by their axes a module. */
export function refreshSize(run: RunSpec): { vectors: number; bases: number[] } {
  const bases = refreshedBases(run);
  if (bases.length === 0) return { vectors: 0, bases: [] };
  return {
    // The adapter parameters that each was extracted at (a checkpoint names them), and the gradients of one basis's pairs at a time.
    vectors: bases.length + Math.max(...bases.map(({ pairs }) => 2 * pairs)),
    // The new projector is there before the old one goes.
    bases: [Math.max(...bases.map(({ k }) => k))],
  };
}
