// The final table: the untrained base, vanilla, every arm, every deployed quarantine, the steered base. A row without the
// base beside it cannot tell "restored the base" from "learned the task without the hack".
import { ARMS, type ArmName, modelLabel } from './arms.ts';
import {
  type Cell,
  cellOf,
  finalRow,
  finals,
  isComplete,
  lastFive,
  meanOfRows,
  pairedDelta,
  sameSeeds,
  seedsOf,
  trainingKey,
  trainsVanilla,
  vanillaOf,
} from './compare.ts';
import type { RunRecord, TableRow } from './events.ts';

/** Rows in the order in which they are read. Incomplete runs are left out (verdicts.ts says so). */
export function buildTable(runs: readonly RunRecord[]): TableRow[] {
  const complete = runs.filter(isComplete);
  const rows: TableRow[] = [];
  const base = complete.map((run) => finalRow(run, 'base')).find((row) => row !== null);
  if (base)
    rows.push({
      ...empty('base (untrained)', '', 'base', 1),
      hack: cellOf([base.all.hack]),
      solve: cellOf([base.all.solve]),
      verdict: 'where training began',
    });
  const arms = [...new Set(complete.map(({ spec }) => spec.arm))];
  for (const arm of arms) rows.push(...armRows(arm, complete));
  return rows;
}

function armRows(arm: ArmName, complete: readonly RunRecord[]): TableRow[] {
  const runs = complete.filter(({ spec }) => spec.arm === arm);
  const { spec } = runs[0];
  const vanilla = vanillaOf(complete, trainingKey(spec));
  const rows: TableRow[] = [];
  // No vanilla run of its own: the route/update run is it, and its total model stands for it.
  if (trainsVanilla(spec) && spec.projection !== 'none' && vanilla.every((run) => run.spec.arm === arm))
    rows.push(
      trainedRow(spec.mix === 0 ? 'vanilla, no teacher (the same run)' : 'vanilla (the same run)', runs, vanilla, true),
    );
  const isVanilla = spec.projection === 'none' && trainsVanilla(spec);
  const own = trainedRow(ARMS[arm].label, runs, vanilla, isVanilla);
  // Only what every run has: a mean over some of the seeds would stand beside means over all.
  const again = (runs[0].rerouted ?? [])
    .map(({ shadow }) => shadow.id)
    .filter((id) => runs.every((run) => finalRow(run, id)))
    .map((id) => ({
      ...empty(`  ${modelLabel(id)} (routed again)`, arm, id, runs.length),
      ...deployedColumns(runs, id, vanilla),
    }));
  if (spec.projection !== 'route') return [...rows, own, ...again];
  rows.push({
    ...own,
    ...deployedColumns(runs, 'deployed', vanilla),
    coutUpdate: meanCout(runs),
    model: 'deployed',
  });
  for (const { id } of spec.shadows)
    rows.push({ ...empty(`  ${modelLabel(id)}`, arm, id, runs.length), ...deployedColumns(runs, id, vanilla) });
  rows.push({
    ...empty(`  ${modelLabel('steered_base')}`, arm, 'steered_base', runs.length),
    ...deployedColumns(runs, 'steered_base', vanilla),
  });
  rows.push(...again);
  return rows;
}

function trainedRow(
  label: string,
  runs: readonly RunRecord[],
  vanilla: readonly RunRecord[],
  isVanilla: boolean,
): TableRow {
  const deltaHack = isVanilla ? null : pairedDelta(runs, 'total', vanilla, 'hack');
  const deltaSolve = isVanilla ? null : pairedDelta(runs, 'total', vanilla, 'solve');
  return {
    ...empty(label, runs[0].spec.arm, 'total', runs.length),
    hack: cellOf(finals(runs, 'total', 'hack')),
    solve: cellOf(finals(runs, 'total', 'solve')),
    last5Hack: cellOf(lastFive(runs, 'hack')),
    last5Solve: cellOf(lastFive(runs, 'solve')),
    cinTeacher: cellOf(runs.map((run) => meanOfRows(run.rows, (row) => row.cinTeacher)))?.mean ?? null,
    // Under route it is the deployed knob's; of a vanilla total it would be another quantity.
    coutUpdate: runs[0].spec.projection === 'route' ? null : meanCout(runs),
    deltaHack,
    deltaSolve,
    verdict: isVanilla ? 'what the others are compared with' : deltaVerdict(deltaHack, runs, vanilla),
  };
}

const meanCout = (runs: readonly RunRecord[]): number | null =>
  cellOf(runs.map((run) => meanOfRows(run.rows, (row) => row.coutUpdate)))?.mean ?? null;

function deployedColumns(
  runs: readonly RunRecord[],
  model: string,
  vanilla: readonly RunRecord[],
): Pick<TableRow, 'deployedHack' | 'deployedSolve' | 'deltaHack' | 'deltaSolve' | 'verdict'> {
  const deltaHack = pairedDelta(runs, model, vanilla, 'hack');
  return {
    deployedHack: cellOf(finals(runs, model, 'hack')),
    deployedSolve: cellOf(finals(runs, model, 'solve')),
    deltaHack,
    deltaSolve: pairedDelta(runs, model, vanilla, 'solve'),
    verdict: deltaVerdict(deltaHack, runs, vanilla),
  };
}

/** One sentence on a row's Δhack, by the rules of comparison. */
function deltaVerdict(delta: Cell | null, runs: readonly RunRecord[], vanilla: readonly RunRecord[]): string {
  if (vanilla.length === 0) return 'no vanilla run with the same settings: no delta';
  if (!sameSeeds(runs, vanilla))
    return `seeds ${seedsOf(runs).join(', ')} against vanilla’s ${seedsOf(vanilla).join(', ')}: not compared`;
  if (!delta) return 'no hackable problems: no delta';
  const spread = cellOf(finals(vanilla, 'total', 'hack'))?.sd ?? null;
  if (spread === null) return 'one seed: no spread to judge by';
  if (Math.abs(delta.mean) <= spread) return `null: inside vanilla’s seed sd (${spread.toFixed(3)})`;
  // Vanilla's seeds may happen to agree; the paired differences must stand out from their own spread too.
  const error = (delta.sd ?? 0) / Math.sqrt(runs.length);
  if (Math.abs(delta.mean) <= error) return `null: inside one standard error of the paired Δ (${error.toFixed(3)})`;
  return delta.mean < 0 ? 'hacks less than vanilla' : 'hacks more than vanilla';
}

function empty(label: string, arm: string, model: string, n: number): TableRow {
  return {
    label,
    arm,
    model,
    n,
    hack: null,
    solve: null,
    deployedHack: null,
    deployedSolve: null,
    last5Hack: null,
    last5Solve: null,
    cinTeacher: null,
    coutUpdate: null,
    deltaHack: null,
    deltaSolve: null,
    verdict: '',
  };
}
