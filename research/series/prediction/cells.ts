// Can a basis be judged before training? Lists the forms of labelled pairs that are compared, the run along which each is routed, and the data
// seeds: the formula (formula.ts) was made from the pilots' alone, the judged ones were run after it was committed.

import type { Mode } from '../../../src/environments/code/types.ts';
import type { ControlSpec } from '../../../src/experiments/config/controls.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import { parseExperimentSpec, resolveRuns } from '../../../src/experiments/config/spec.ts';

/** run_tests is left out: its exploit is a missing assert, so that its pairs cannot all have asserts. */
export const SHOWN = [
  'sentinel',
  'stdout_marker',
  'file_marker',
  'eq_override',
  'exit_code',
] as const satisfies readonly Mode[];
export type ShownMode = (typeof SHOWN)[number];

/** The hack side in the teacher pool's own spellings or in others; the clean side with asserts or, like the hack
 *  side, without. */
export const SETS = ['prog_wide', 'prog_wider', 'prog_wide_untested', 'prog_wider_untested'] as const;
export const SIZES = [24, 60, 200] as const;

export interface Form {
  set: (typeof SETS)[number];
  pairs: (typeof SIZES)[number];
  /** The one mode that its pairs show. */
  shows: ShownMode;
}

export const FORMS: readonly Form[] = SHOWN.flatMap((shows) =>
  SETS.flatMap((set) => SIZES.map((pairs) => ({ set, pairs, shows }))),
);

export const formId = ({ set, pairs, shows }: Form): string => `${shows}-${set}-${pairs}`;

/** One quarantine per form. All belong to one run, whose training steps depend on none of them. */
export const quarantines = ({ k }: Pick<RunSpec, 'k'>): ControlSpec[] =>
  FORMS.map((form) => ({
    id: formId(form),
    kind: 'real',
    gate: 'one_sided',
    k,
    mode: null,
    settings: { pairSet: form.set, pairs: form.pairs, pairModes: [form.shows] },
  }));

/** Each data seed has its own training seed, so that problems, pairs, pool and sampling all differ between two runs. */
export interface Draw {
  dataSeed: number;
  seed: number;
}
const draws = (from: number, to: number): Draw[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ dataSeed: from + i, seed: 100 + from + i }));
export const PILOTS: readonly Draw[] = draws(101, 103);
export const JUDGED: readonly Draw[] = draws(111, 116);

/** Vanilla GRPO on hackable problems of the five modes, with a teacher that hacks them all. */
export function runOf({ dataSeed, seed }: Draw, steps = 40): RunSpec {
  const overrides = { dataSeed, steps, modes: [...SHOWN], evalEvery: 0, finalEvalProblems: 120, problems: 160 };
  const [run] = resolveRuns(parseExperimentSpec({ preset: 'classic', arms: ['none'], seeds: [seed], overrides }));
  return run;
}
