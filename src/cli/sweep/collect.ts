// `sweep collect`: the results of a sweep, as files that other tools read.
import { join } from 'node:path';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { digest } from '../../experiments/records/kind.ts';
import type { FinishedRun } from '../../experiments/runs/finished.ts';
import {
  reachedRungs,
  reportedMetrics,
  type Scores,
  type SweepPlan,
  sweepMetric,
} from '../../experiments/sweep/plan.ts';
import { stoppedText } from '../../experiments/sweep/report-text.ts';
import { valueText } from '../../experiments/sweep/spec.ts';
import type { Stopped } from '../../experiments/sweep/stop.ts';
import { toCsv } from '../../lib/csv.ts';
import { command, EXIT } from '../command.ts';
import { stepsParquet, type TableRun } from '../files/steps.ts';
import { mixedCodes } from './code.ts';
import { SweepFolder } from './folder.ts';

/** A finished run, with its configuration. */
export interface CollectedRun {
  configuration: number;
  rung: number;
  seed: number;
  /** The run up to its last step, where it was stopped. */
  run: FinishedRun;
  /** Why the sweep's rule stopped it; absent where it was trained to its end. */
  stopped?: Stopped;
}

/** Whether the runs have several codes, so that every row names its own. */
const areMixed = (runs: readonly CollectedRun[]): boolean => mixedCodes(runs.map(({ run }) => run)).length > 0;

const reasonOf = (stopped: Stopped | undefined): string => (stopped ? stoppedText(stopped) : '');

/** Runs under their keys, with their axes' values. */
export const tableRuns = ({ spec, configurations }: SweepPlan, runs: readonly CollectedRun[]): TableRun[] => {
  const isMixed = areMixed(runs);
  return runs.map(({ configuration, run: { key, record, code = 'unknown' }, stopped }) => ({
    name: isMixed ? `${key}, code ${code}` : key,
    record,
    options: Object.fromEntries([
      ...spec.axes.map(({ option }) => [option, configurations[configuration].values[option]]),
      ...(isMixed ? [['code', code]] : []),
      ...(spec.stop ? [['stopped', reasonOf(stopped)]] : []),
    ]),
  }));
};

export async function collectRuns(folder: SweepFolder): Promise<CollectedRun[]> {
  const { plan } = folder;
  const state = await folder.state();
  const { failed, stopped } = state;
  const runs = await folder.told(state);
  const scores: Scores = new Map(
    [...runs].map(([key, { record }]) => [key, sweepMetric(record, plan.metric.model, plan.metric.id)]),
  );
  return reachedRungs(plan, scores, new Set(failed.keys())).flatMap((configurations, rung) =>
    configurations.flatMap((configuration) =>
      plan.configurations[configuration].rungs[rung].flatMap(({ key, spec: { seed } }) => {
        const run = runs.get(key);
        const why = stopped.get(key);
        return run ? [{ configuration, rung, seed, run, ...(why && { stopped: why }) }] : [];
      }),
    ),
  );
}

/** Has no times, so that equal runs are equal lines. */
async function lineOf(
  { plan }: SweepFolder,
  { configuration, rung, seed, run, stopped }: CollectedRun,
  isMixed: boolean,
): Promise<string> {
  const { key, record, code = null } = run;
  const { spec, device, modelSha256, graderVersion, rows, evals } = record;
  return JSON.stringify({
    schema: 1,
    key,
    configuration: plan.configurations[configuration].values,
    rung,
    seed,
    spec,
    device,
    ...(isMixed ? { code } : {}),
    ...(stopped && { stopped }),
    modelSha256,
    graderVersion,
    digest: await digest(KINDS.run.digested(record)),
    rows,
    evals,
  });
}

function csvOf({ plan }: SweepFolder, runs: readonly CollectedRun[]): string {
  const options = plan.spec.axes.map(({ option }) => option);
  const isMixed = areMixed(runs);
  const hasRule = plan.spec.stop !== undefined;
  const metrics = reportedMetrics(plan);
  const models = ['total', 'deployed'] as const;
  const names = models.flatMap((model) => metrics.map((metric) => (model === 'total' ? metric : `deployed_${metric}`)));
  const header = [
    ...options,
    'seed',
    'steps',
    ...names,
    'device',
    ...(isMixed ? ['code'] : []),
    ...(hasRule ? ['stopped'] : []),
    'key',
  ];
  const lines = runs.map(({ configuration, seed, run: { key, record, code = 'unknown' }, stopped }) => [
    ...options.map((option) => valueText(plan.configurations[configuration].values[option])),
    ...[seed, record.spec.steps],
    ...models.flatMap((model) => metrics.map((metric) => sweepMetric(record, model, metric))),
    ...[record.device, ...(isMixed ? [code] : []), ...(hasRule ? [reasonOf(stopped)] : []), key],
  ]);
  return toCsv(header, lines, '\n');
}

const collectUsage = {
  name: 'sweep collect',
  summary:
    'Writes results.jsonl (every row and evaluation, without clocks), results.csv (a line a run) and steps.parquet (a line a step, under TRL’s names) into the folder.',
  positional: ['DIR'],
  flags: {},
} as const;

export const sweepCollect = command(collectUsage, async ({ positional }, { out }) => {
  const folder = await SweepFolder.open(positional[0]);
  const runs = await collectRuns(folder);
  const lines: string[] = [];
  const isMixed = areMixed(runs);
  for (const run of runs) lines.push(await lineOf(folder, run, isMixed));
  await writeWhole(join(folder.path, 'results.jsonl'), lines.map((line) => `${line}\n`).join(''));
  await writeWhole(join(folder.path, 'results.csv'), csvOf(folder, runs));
  await writeWhole(join(folder.path, 'steps.parquet'), stepsParquet(tableRuns(folder.plan, runs)));
  out(`${runs.length} runs: ${join(folder.path, 'results.jsonl')}, results.csv, steps.parquet`);
  return EXIT.ok;
});
