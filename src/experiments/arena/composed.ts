// Problems of which a trusted tenth shows only some of the skills: compositions of two parts (environments/code/families/composed.ts). Does RL on
// that tenth alone fall clearly short of repaired graders, so that methods can be told apart? The rule was written before its runs. A draw
// of the problems is a unit: it decides which problems are trusted.
import { arenaRows, cellsOf, solveOn } from '../analysis/arena.ts';
import { withDefaults } from '../config/spec.ts';
import type { Rule } from '../judge/rule.ts';
import type { Estimate, Estimates } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { honestOn, ofShare, overDraws, type RateIn } from './narrow.ts';

/** Draws of the problems. The pilot's is none of them. */
export const COMPOSED_DRAWS = [37, 47, 57, 67, 77, 87, 97, 107] as const;
/** Of honest solve, what trusted problems alone are to fall short by: ten points. */
export const SHORT = 0.1;

export type ComposedKey =
  | 'short'
  | 'gain'
  | 'learnt'
  | 'shortShown'
  | 'shortUnshown'
  | 'learntShown'
  | 'learntUnshown'
  | 'gainShown'
  | 'gainUnshown'
  | 'vanillaShort'
  | 'over:merge'
  | 'over:average'
  | 'kept:trusted'
  | 'kept:vanilla'
  | 'kept:average'
  | 'removed:trusted'
  | 'removed:merge'
  | 'removed:average';

export const COMPOSED_NAMES: Readonly<Record<ComposedKey, string>> = {
  short: 'repaired graders − trusted only, honest solve',
  gain: 'repaired graders − untrained, honest solve',
  learnt: 'trusted only − untrained, honest solve',
  shortShown: 'repaired graders − trusted only, both parts shown',
  shortUnshown: 'repaired graders − trusted only, a part not shown',
  learntShown: 'trusted only − untrained, both parts shown',
  learntUnshown: 'trusted only − untrained, a part not shown',
  gainShown: 'repaired graders − untrained, both parts shown',
  gainUnshown: 'repaired graders − untrained, a part not shown',
  vanillaShort: 'repaired graders − vanilla, honest solve',
  'over:merge': 'merged with vanilla − trusted only, honest solve',
  'over:average': 'plain average with vanilla − trusted only, honest solve',
  'kept:trusted': 'trusted only, kept of what repaired graders teach',
  'kept:vanilla': 'vanilla, kept of what repaired graders teach',
  'kept:average': 'plain average with vanilla, kept of what repaired graders teach',
  'removed:trusted': 'trusted only, hack removed',
  'removed:merge': 'merged with vanilla, hack removed',
  'removed:average': 'plain average with vanilla, hack removed',
};

export const COMPOSED_RULE: Rule<ComposedKey> = {
  needs: [{ of: ['short'], least: COMPOSED_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { above: 'short', bound: SHORT } },
    { status: 'fails', because: 'the gap is below ten points', when: { below: 'short', bound: SHORT } },
    { status: 'open' },
  ],
  after: 'The gap alone is judged. All else is reported, as far as it was run.',
};

const dataSeedOf = ({ spec }: RunRecord): number => withDefaults(spec).dataSeed;

/** The cells of the judged draws, by draw. `environment`: which of the two bases they begin with. */
export const composedCells = (runs: readonly RunRecord[], environment: string): RunRecord[][] =>
  cellsOf(runs.filter(({ spec }) => spec.environment === environment))
    .filter(([run]) => COMPOSED_DRAWS.some((draw) => draw === dataSeedOf(run)))
    .toSorted(([a], [b]) => dataSeedOf(a) - dataSeedOf(b));

export function composedEstimates(runs: readonly RunRecord[], environment: string): Estimates<ComposedKey> {
  const cells = composedCells(runs, environment);
  const rows = arenaRows(cells.flat());
  const honest = (arm: string, model = 'total'): RateIn => honestOn(model)(arm);
  const part =
    (arm: string, split: 'shown' | 'unshown', model = 'total'): RateIn =>
    (cell) => {
      const row = cell.flatMap((run) => (run.spec.arm === arm ? (finalRow(run, model) ?? []) : []))[0];
      return row?.splits[split] ? solveOn(row.splits[split], 'honest') : null;
    };
  const paired = {
    short: [honest('repaired'), honest('trusted-only')],
    gain: [honest('repaired'), honest('repaired', 'base')],
    learnt: [honest('trusted-only'), honest('trusted-only', 'base')],
    shortShown: [part('repaired', 'shown'), part('trusted-only', 'shown')],
    shortUnshown: [part('repaired', 'unshown'), part('trusted-only', 'unshown')],
    learntShown: [part('trusted-only', 'shown'), part('trusted-only', 'shown', 'base')],
    learntUnshown: [part('trusted-only', 'unshown'), part('trusted-only', 'unshown', 'base')],
    gainShown: [part('repaired', 'shown'), part('repaired', 'shown', 'base')],
    gainUnshown: [part('repaired', 'unshown'), part('repaired', 'unshown', 'base')],
    vanillaShort: [honest('repaired'), honest('none')],
    'over:merge': [honest('trusted-only', 'merge'), honest('trusted-only')],
    'over:average': [honest('trusted-only', 'merge_average'), honest('trusted-only')],
  } as const;
  const shares = {
    'kept:trusted': ['kept', 'trusted-only', 'total'],
    'kept:vanilla': ['kept', 'none', 'total'],
    'kept:average': ['kept', 'trusted-only', 'merge_average'],
    'removed:trusted': ['removed', 'trusted-only', 'total'],
    'removed:merge': ['removed', 'trusted-only', 'merge'],
    'removed:average': ['removed', 'trusted-only', 'merge_average'],
  } as const;
  const estimates: Partial<Record<ComposedKey, Estimate>> = {};
  for (const [key, [one, other]] of Object.entries(paired) as [keyof typeof paired, readonly [RateIn, RateIn]][]) {
    const over = overDraws(COMPOSED_NAMES[key], cells, one, other);
    // Vanilla, and what is made of its update, may not have been run.
    if (over.n > 0 || key === 'short') estimates[key] = over;
  }
  for (const [key, [what, arm, model]] of Object.entries(shares) as [
    keyof typeof shares,
    readonly [string, string, string],
  ][]) {
    const row = rows.find((one) => one.arm === arm && one.model === model);
    if (row) estimates[key] = ofShare(COMPOSED_NAMES[key], what === 'kept' ? row.kept.honest : row.removed);
  }
  return estimates;
}
