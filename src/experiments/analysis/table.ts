// The final table: the untrained base, vanilla, every arm, every deployed quarantine, the steered base. Without the base one cannot tell
// "restored the base" from "learned the task without the hack".

import { ARMS, type ArmName, trainsUnprojected } from '../config/arms.ts';
import { modelLabel } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { headlinesOf } from '../environments/registry.ts';
import type { RunRecord, TableRow } from '../records/events.ts';
import { finalRow, metricValue } from '../records/metrics.ts';
import { hackAtMostAtEnd, unjudgedAtEnd } from '../records/unjudged.ts';
import {
  type Cell,
  cellOf,
  finals,
  isComplete,
  lastFive,
  meanOfRows,
  pairedDelta,
  sameSeeds,
  seedsOf,
} from './compare.ts';
import { interventionOf } from './differences.ts';
import { deployedRowLabel, nameOf } from './names.ts';
import { changeFromBase } from './noise.ts';
import { referencesOf, vanillaOf } from './vanilla.ts';

/** Rows in display order. Incomplete runs are left out (verdicts.ts reports them). */
export function buildTable(runs: readonly RunRecord[]): TableRow[] {
  const complete = runs.filter(isComplete);
  const rows: TableRow[] = [];
  const base = complete.map((run) => finalRow(run, 'base')).find((row) => row !== null);
  if (base)
    rows.push({
      ...emptyRow('base (untrained)', '', 'base', 1),
      trained: metricCells(complete, (id) => cellOf([metricValue(base.all, id)])),
      verdict: 'where training began',
    });
  const arms = [...new Set(complete.map(({ spec }) => spec.arm))];
  for (const arm of arms) rows.push(...armRows(arm, complete));
  return rows.map((row) => withUnjudged(row, complete));
}

/** A route row shows the trained model beside the deployed one; the count covers both. */
function withUnjudged(row: TableRow, complete: readonly RunRecord[]): TableRow {
  const own = complete.filter(({ spec }) => row.arm === '' || spec.arm === row.arm);
  const runs = row.model === 'base' ? own.slice(0, 1) : own;
  const models =
    row.model === 'deployed' && Object.values(row.trained).some((cell) => cell !== null)
      ? ['total', 'deployed']
      : [row.model];
  const unjudged = models.reduce((sum, model) => sum + unjudgedAtEnd(runs, model).unjudged, 0);
  if (unjudged === 0) return row;
  const hackAtMost = hackAtMostAtEnd(runs, row.model);
  return { ...row, unjudged, ...(hackAtMost === null ? {} : { hackAtMost }) };
}

function armRows(arm: ArmName, complete: readonly RunRecord[]): TableRow[] {
  const runs = complete.filter(({ spec }) => spec.arm === arm);
  const { spec } = runs[0];
  const vanilla = vanillaOf(spec, complete);
  const rows: TableRow[] = [];
  // Without a separate vanilla run, the trained model of the route/update run is vanilla.
  if (spec.projection !== 'none' && trainsUnprojected(spec) && vanilla.every((run) => run.spec.arm === arm))
    rows.push(trainedRow(nameOf(arm, 'total', [arm]), runs, complete));
  const own = trainedRow(ARMS[arm].label, runs, complete);
  const beneath = (id: string, label = modelLabel(id)): TableRow => ({
    ...emptyRow(`  ${label}`, arm, id, runs.length),
    ...deployedColumns(runs, id, vanilla),
  });
  // Only quarantines that every run has, so that all means are over the same seeds.
  const again = (runs[0].rerouted ?? [])
    .map(({ shadow: control }) => control.id)
    .filter((id) => runs.every((run) => finalRow(run, id)))
    .map((id) => beneath(id, `${modelLabel(id)} (replayed)`));
  const corners = cornersOf(runs).map((id) => beneath(id));
  if (spec.projection !== 'route') return [...rows, own, ...corners, ...again];
  rows.push({
    ...own,
    ...deployedColumns(runs, 'deployed', vanilla),
    coutUpdate: meanCout(runs),
    label: deployedRowLabel(arm),
    model: 'deployed',
  });
  for (const { id } of spec.shadows) rows.push(beneath(id));
  // Some runs have no steered base, since there are no directions to steer along: blocks, a span that is kept.
  if (runs.some((run) => finalRow(run, 'steered_base'))) rows.push(beneath('steered_base'));
  rows.push(...corners, ...again);
  return rows;
}

/** Models that `alsoEvaluate` added, where every run has them. */
function cornersOf(runs: readonly RunRecord[]): string[] {
  const ids = new Set(runs[0].evals.map(({ model }) => model));
  return [...ids].filter(
    (id) =>
      /^(?:(?:deployed_)?alpha_.+|early_stop|merge(?:_\w+)?|(?:base_)?relearned|quarantine)$/.test(id) &&
      runs.every((run) => finalRow(run, id)),
  );
}

/** The row of a trained model; under route, projected models have their own rows. */
function trainedRow(label: string, runs: readonly RunRecord[], complete: readonly RunRecord[]): TableRow {
  const [{ spec }] = runs;
  const vanilla = vanillaOf(spec, complete, !trainsUnprojected(spec));
  const isOwn = vanilla.some((run) => runs.includes(run));
  const isReference = isOwn || referencesOf(complete).some((set) => set.some((run) => runs.includes(run)));
  const delta = metricCells(runs, (id) => (isOwn ? null : pairedDelta(runs, 'total', vanilla, id)));
  return {
    ...emptyRow(label, spec.arm, 'total', runs.length),
    trained: metricCells(runs, (id) => cellOf(finals(runs, 'total', id))),
    last5: metricCells(runs, (id) => cellOf(lastFive(runs, id))),
    cinTeacher: cellOf(runs.map((run) => meanOfRows(run.rows, (row) => row.cinTeacher)))?.mean ?? null,
    // Under route it belongs to the deployed adapter; for a vanilla model it would be another quantity.
    coutUpdate: spec.projection === 'route' ? null : meanCout(runs),
    delta,
    verdict:
      isReference && (isOwn || vanilla.length === 0) ? referenceVerdict(spec) : deltaVerdict(delta, runs, vanilla),
    unchanged: unchangedMetrics(runs, 'total'),
  };
}

function referenceVerdict(spec: RunSpec): string {
  const others = interventionOf(spec);
  return `what the others are compared with${others === 'none' ? '' : `, itself with ${others}`}`;
}

/** Metrics whose difference from the base is within noise. */
function unchangedMetrics(runs: readonly RunRecord[], model: string): string[] {
  return headlinesOf(runs[0].spec.environment).flatMap(({ id }) => {
    const change = changeFromBase(runs, model, id, finals(runs, 'base', id)[0]);
    return change && !change.isShown ? [id] : [];
  });
}

const meanCout = (runs: readonly RunRecord[]): number | null =>
  cellOf(runs.map((run) => meanOfRows(run.rows, (row) => row.coutUpdate)))?.mean ?? null;

function deployedColumns(
  runs: readonly RunRecord[],
  model: string,
  vanilla: readonly RunRecord[],
): Pick<TableRow, 'deployed' | 'delta' | 'verdict' | 'unchanged'> {
  const delta = metricCells(runs, (id) => pairedDelta(runs, model, vanilla, id));
  return {
    deployed: metricCells(runs, (id) => cellOf(finals(runs, model, id))),
    delta,
    verdict: deltaVerdict(delta, runs, vanilla),
    unchanged: unchangedMetrics(runs, model),
  };
}

/** Cells by the headline metrics of the runs' environment. */
function metricCells(runs: readonly RunRecord[], of: (id: string) => Cell | null): Record<string, Cell | null> {
  return Object.fromEntries(headlinesOf(runs[0].spec.environment).map(({ id }) => [id, of(id)]));
}

/** One sentence on the Δ of the first headline metric, by the rules of comparison. */
function deltaVerdict(deltas: TableRow['delta'], runs: readonly RunRecord[], vanilla: readonly RunRecord[]): string {
  const [judged] = headlinesOf(runs[0].spec.environment);
  if (!judged) return 'an environment that this lab does not have: not judged';
  const delta = deltas[judged.id];
  const name = vanilla.length > 0 ? nameOf(vanilla[0].spec.arm, 'total', [vanilla[0].spec.arm]) : '';
  if (vanilla.length === 0) return 'no vanilla run with the same settings: no delta';
  if (!sameSeeds(runs, vanilla))
    return `seeds ${seedsOf(runs).join(', ')} against ${name}’s ${seedsOf(vanilla).join(', ')}: not compared`;
  if (!delta) return judged.words?.none ?? `no ${judged.label.toLowerCase()} was measured: no delta`;
  const spread = cellOf(finals(vanilla, 'total', judged.id))?.sd ?? null;
  if (spread === null) return 'one seed: no spread to judge by';
  if (Math.abs(delta.mean) <= spread) return `null: inside ${name}’s seed sd (${spread.toFixed(3)})`;
  // Vanilla's seeds may agree by chance, so the paired differences must also exceed their own spread.
  const error = (delta.sd ?? 0) / Math.sqrt(runs.length);
  if (Math.abs(delta.mean) <= error) return `null: inside one standard error of the paired Δ (${error.toFixed(3)})`;
  const word = delta.mean < 0 ? 'less' : 'more';
  return `${judged.words?.verb ?? `has ${judged.label.toLowerCase()}`} ${word} than ${name}`;
}

function emptyRow(label: string, arm: string, model: string, n: number): TableRow {
  return {
    label,
    arm,
    model,
    n,
    trained: {},
    deployed: {},
    last5: {},
    delta: {},
    cinTeacher: null,
    coutUpdate: null,
    unchanged: [],
    verdict: '',
  };
}
