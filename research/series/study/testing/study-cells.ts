// Finished runs of one question, with rates given by a test for each cell, and real specs.

import type { RunSpec } from '../../../../src/experiments/config/run-spec.ts';
import type { EvalRow } from '../../../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../../../src/experiments/runs/finished.ts';
import { controlKey } from '../../../../src/experiments/runs/key.ts';
import { evaluationMade, runMade } from '../../../../src/experiments/testing/statistics-runs.ts';
import { runOfCell } from '../plan.ts';
import { QUESTIONS } from '../questions/index.ts';
import type { QuestionId, StudyCell } from '../types.ts';

export const questionOf = (id: QuestionId) => QUESTIONS.find((question) => question.id === id)!;
export type Final = readonly [hack: number, solve: number];

/** A finished run with these final rates by model; quarantines that its spec does not include are added as replayed. */
function finished(spec: RunSpec, finals: Record<string, Final>, routed: FinishedRun['rerouted'] = []): FinishedRun {
  const record = runMade({ arm: 'none', seed: spec.seed, final: finals });
  const rows = Array.from({ length: spec.steps }, (_, i) => ({ ...record.rows[0], step: i + 1 }));
  return { key: '', record: { ...record, spec, rows }, rerouted: routed };
}

/** Runs of every cell of a question; `figures` returns hack and solve of a cell in a seed. */
export function runsFor(
  id: QuestionId,
  figures: (cell: StudyCell, seed: number) => Final | null,
): Map<string, FinishedRun> {
  const runs = new Map<string, FinishedRun>();
  for (const cell of questionOf(id).cells)
    for (const seed of cell.seeds) {
      const final = figures(cell, seed);
      if (!final) continue;
      const { key, spec } = runOfCell(cell, seed);
      const run = runs.get(key) ?? { ...finished(spec, {}), key };
      const put = (row: EvalRow) => {
        run.record.evals = [...run.record.evals.filter(({ model }) => model !== row.model), row];
      };
      const carried =
        cell.shadow && spec.shadows.find((own) => controlKey(own, spec) === controlKey(cell.shadow!, spec));
      const row = evaluationMade(carried?.id ?? cell.model, ...final);
      if (cell.shadow && !carried) run.rerouted.push({ shadow: cell.shadow, row });
      else put(row);
      runs.set(key, run);
    }
  return runs;
}
