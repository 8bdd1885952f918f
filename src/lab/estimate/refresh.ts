// Cost of extracting bases, before the first step and again during a run (`refreshEvery`): how often, how many rows of labelled pairs (or
// of trusted problems) are scored each time, and how much memory it takes.
import { type BasisRecipe, recipeOf, refreshIsDue, setKey } from '../../experiments/bases/recipe.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { isAdamSpan } from '../../experiments/methods/trusted-basis.ts';
import { sum } from '../../stats/index.ts';

interface RefreshedBasis {
  /** Completions of labelled pairs, held-out ones included, or of trusted problems. */
  completions: number;
  /** Axes per module. */
  k: number;
  every: number;
}

/** Completions scored for a basis: both sides of its pairs, or the solutions of trusted problems; null if none are. */
function completionsOf({ trustedShare, honestShare, problems }: RunSpec, { from, pairs }: BasisRecipe): number | null {
  if (from === 'trusted') return Math.max(1, Math.round(trustedShare * honestShare * problems));
  return from === 'pairs' ? 2 * pairs : null;
}

/** The run's own basis and those of its quarantines, without those that are never refreshed. */
function refreshedBases(run: RunSpec): RefreshedBasis[] {
  // Matched random axes are made once, after the run's last step.
  const controls = run.shadows.filter(({ kind }) => kind !== 'random_matched');
  return [...(run.basisSource === 'random_matched' ? [] : [null]), ...controls]
    .map((control) => recipeOf(run, control))
    .filter(({ refreshEvery }) => refreshEvery > 0 && refreshEvery < run.steps)
    .flatMap((recipe) => {
      const completions = completionsOf(run, recipe);
      return completions === null ? [] : [{ completions, k: recipe.k, every: recipe.refreshEvery }];
    });
}

/** Rows (tokens) that all extractions of a run score after its first step. */
export function refreshRows(run: RunSpec, rowsPerCompletion: number): number {
  const times = (every: number) =>
    Array.from({ length: run.steps }, (_, step) => step).filter((step) => refreshIsDue(every, step)).length;
  return refreshedBases(run).reduce(
    (rows, { completions, every }) => rows + times(every) * completions * rowsPerCompletion,
    0,
  );
}

/** Rows scored for bases before training: every set counts once, however many runs and quarantines use it. */
export function extractionRows(runs: readonly RunSpec[], rowsPerCompletion: number): number {
  const sets = new Map<string, number>();
  for (const run of runs) {
    if (capabilitiesOf(run.environment)?.pairs === false) continue;
    const controls = run.shadows.filter(({ kind }) => kind !== 'random_matched');
    for (const recipe of [null, ...controls].map((control) => recipeOf(run, control))) {
      const completions = completionsOf(run, recipe);
      // Each run scores its own trusted problems.
      const key = recipe.from === 'trusted' ? `${run.arm} ${run.seed}` : setKey(recipe);
      if (completions !== null) sets.set(key, completions);
    }
  }
  return sum([...sets.values()]) * rowsPerCompletion;
}

/**
 * Temporary memory for the span of all modules, in vectors of all adapter parameters: the gradients in double precision, their orthogonal
 * rows and the axes. The span of one module is small.
 */
export function spanSize(run: RunSpec): number {
  const recipe = recipeOf(run, null);
  return recipe.from === 'trusted' && run.spanOf === 'all' ? 3 * 2 * (completionsOf(run, recipe) ?? 0) : 0;
}

/** Additional memory of a refresh: vectors of all adapter parameters, and bases on the device by their axes per module. */
export function refreshSize(run: RunSpec): { vectors: number; bases: number[] } {
  const bases = refreshedBases(run);
  if (bases.length === 0) return { vectors: 0, bases: [] };
  return {
    // The adapter parameters of each extraction and Adam's divisor (both are in checkpoints), and the gradients of one basis's completions
    // at a time.
    vectors: bases.length + Number(isAdamSpan(run)) + Math.max(...bases.map(({ completions }) => completions)),
    // The new projector is allocated before the old one is freed.
    bases: [Math.max(...bases.map(({ k }) => k))],
  };
}
