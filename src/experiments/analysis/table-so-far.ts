// The table before its last rows: every run's own models are evaluated, and some of its controls are not yet, or never will be where the
// run was stopped at the table. What is missing is named; nothing is judged by it.
import { modelLabel } from '../config/controls.ts';
import { capabilitiesOf, hasPairs } from '../config/environments.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { isTrustedBasis } from '../methods/trusted-basis.ts';
import type { RunRecord, TableRow } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { buildTable } from './table.ts';

export interface TableSoFar {
  table: TableRow[];
  /** The models without a final evaluation, by name. */
  missing: string[];
}

const NOT_EVALUATED = 'not evaluated';

/** Null before all planned runs have trained every step and their own models are evaluated. */
export function tableSoFar(planned: readonly RunSpec[], runs: readonly RunRecord[]): TableSoFar | null {
  if (runs.length < planned.length || !runs.every(hasOwnModels)) return null;
  const rows = buildTable(runs.map((run) => ({ ...run, status: 'done' as const })));
  const isMissing = ({ arm, model }: TableRow) =>
    arm !== '' && runs.some((run) => run.spec.arm === arm && finalRow(run, model) === null);
  const table = rows.map((row) => (isMissing(row) ? { ...row, verdict: NOT_EVALUATED } : row));
  return { table, missing: [...new Set(runs.flatMap(missingOf))] };
}

/** Whether the run has what its arm is judged by. */
function hasOwnModels(run: RunRecord): boolean {
  const own = run.spec.projection === 'route' ? ['base', 'total', 'deployed'] : ['base', 'total'];
  return run.rows.length === run.spec.steps && own.every((model) => finalRow(run, model) !== null);
}

/** Models of a run that is not done and has no row of them. */
function missingOf(run: RunRecord): string[] {
  const { spec, status } = run;
  if (status === 'done') return [];
  const controls = spec.shadows.map(({ id }) => id);
  const models = isSteered(spec) ? [...controls, 'steered_base'] : controls;
  return [...models.filter((id) => finalRow(run, id) === null).map(modelLabel), ...spec.alsoEvaluate];
}

/** Whether a steered base comes last: a routed run's, where there are directions that it does not keep. */
function isSteered(spec: RunSpec): boolean {
  const capabilities = capabilitiesOf(spec.environment);
  const hasDirections = capabilities !== null && hasPairs(capabilities, spec) && spec.adapter !== 'blocks';
  return spec.projection === 'route' && hasDirections && !isTrustedBasis(spec);
}
