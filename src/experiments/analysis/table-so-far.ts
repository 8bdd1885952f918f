// The table before its last rows: every arm's own models are evaluated, but some controls are not yet, or never will be if the run was
// stopped. Missing models are named, and no verdict depends on them.
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

/** Null until all planned runs have trained every step and their own models are evaluated. */
export function tableSoFar(planned: readonly RunSpec[], runs: readonly RunRecord[]): TableSoFar | null {
  if (runs.length < planned.length || !runs.every(hasOwnModels)) return null;
  const rows = buildTable(runs.map((run) => ({ ...run, status: 'done' as const })));
  const isMissing = ({ arm, model }: TableRow) =>
    arm !== '' && runs.some((run) => run.spec.arm === arm && finalRow(run, model) === null);
  const table = rows.map((row) => (isMissing(row) ? { ...row, verdict: NOT_EVALUATED } : row));
  return { table, missing: [...new Set(runs.flatMap(missingOf))] };
}

/** Whether the models that the run's arm is judged by are evaluated. */
function hasOwnModels(run: RunRecord): boolean {
  const own = run.spec.projection === 'route' ? ['base', 'total', 'deployed'] : ['base', 'total'];
  return run.rows.length === run.spec.steps && own.every((model) => finalRow(run, model) !== null);
}

/** Models of an unfinished run that have no final evaluation. */
function missingOf(run: RunRecord): string[] {
  const { spec, status } = run;
  if (status === 'done') return [];
  const controls = spec.shadows.map(({ id }) => id);
  const models = isSteered(spec) ? [...controls, 'steered_base'] : controls;
  return [...models.filter((id) => finalRow(run, id) === null).map(modelLabel), ...spec.alsoEvaluate];
}

/** Whether a run evaluates a steered base: a routed one whose basis holds directions to remove. */
function isSteered(spec: RunSpec): boolean {
  const capabilities = capabilitiesOf(spec.environment);
  const hasDirections = capabilities !== null && hasPairs(capabilities, spec) && spec.adapter !== 'blocks';
  return spec.projection === 'route' && hasDirections && !isTrustedBasis(spec);
}
