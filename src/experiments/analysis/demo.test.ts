// Tests that the published demos are up to date: their specs are what the demo preset means today, and the analysis of their rows gives their
// tables and headlines.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { percent } from '../../lib/numbers.ts';
import { VANILLA_ARMS } from '../config/arms.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { ENVIRONMENT_NAMES, ENVIRONMENTS, headlinesOf } from '../environments/registry.ts';
import type { ExperimentResult, RunRecord } from '../records/events.ts';
import { demoOf, demoPath, type PublishedDemo, readDemo } from './demo.ts';
import { headlineOf, headlineParts } from './headline.ts';
import { buildTable } from './table.ts';
import { verdicts } from './verdicts.ts';
import { NO_CHANGE } from './words.ts';

const publicFile = (path: string) => new URL(`../../../public/${path}`, import.meta.url);
const read = (environment: string) => readDemo(JSON.parse(readFileSync(publicFile(demoPath(environment)), 'utf8')))!;

/** The records' fields that a table is made from. */
function recordsOf(demo: PublishedDemo): RunRecord[] {
  const specs = resolveRuns(demo.spec);
  return demo.runs.map((run) => {
    const spec = specs.find(({ arm, seed }) => arm === run.arm && seed === run.seed)!;
    const ids = Object.keys(run.series);
    const rows = run.series[ids[0]].map((_, i) => ({
      step: i + 1,
      student: { n: 1, figures: Object.fromEntries(ids.map((id) => [id, run.series[id][i]])) },
      cinTeacher: null,
      coutUpdate: null,
    }));
    const evals = run.evals.map(({ figures, n, ...row }) => ({ ...row, all: { n, figures } }));
    return { spec, status: 'done', rows, evals } as unknown as RunRecord;
  });
}

const escaped = (text: string) => text.replace(/[()]/g, '\\$&');

describe.each(ENVIRONMENT_NAMES)('the published demo of %s', (environment) => {
  const demo = read(environment);

  it('has the spec of today’s demo preset', () => {
    expect(demo.spec).toEqual(parseExperimentSpec({ preset: 'demo', overrides: { environment: environment } }));
    const planned = resolveRuns(demo.spec);
    expect(demo.runs.map(({ arm, seed }) => `${arm}/${seed}`)).toEqual(
      planned.map(({ arm, seed }) => `${arm}/${seed}`),
    );
    for (const { series } of demo.runs)
      for (const { id } of headlinesOf(environment)) expect(series[id]).toHaveLength(planned[0].steps);
    const { model, modelSha256 } = demo;
    const files = JSON.parse(readFileSync(publicFile(`models/${model}/manifest.json`), 'utf8'));
    expect(JSON.stringify(files)).toContain(modelSha256);
  });

  it('has the table and the headline that follow from its rows', () => {
    const table = buildTable(recordsOf(demo));
    const facts = (rows: typeof table) =>
      rows.map(({ label, arm, model, n, verdict }) => [label, arm, model, n, verdict]);
    expect(facts(demo.table)).toEqual(facts(table));
    for (const [i, row] of table.entries()) {
      expect(demo.table[i].deployed).toEqual(row.deployed);
      expect(demo.table[i].trained).toEqual(row.trained);
      expect(demo.table[i].delta).toEqual(row.delta);
    }
    expect(headlineOf({ table: demo.table, runs: [] }, environment)).toBe(headlineOf({ table, runs: [] }, environment));
    expect(demo.table.map(({ unchanged }) => unchanged)).toEqual(table.map(({ unchanged }) => unchanged));
  });

  it('has a closing sentence per arm with its verdicts’ values, and what counts as no change', () => {
    const { sentence, evidence, limits, metrics } = headlineParts({ table: demo.table, runs: [] }, environment)!;
    expect(evidence).toMatch(/^One seed: no spread to judge by\. Untrained: /);
    // The sentence compares other arms with vanilla.
    const hasVanilla = demo.spec.arms.some((arm) => VANILLA_ARMS.includes(arm));
    expect(sentence.includes('(vanilla ')).toBe(hasVanilla && metrics[0].after.length > 1);
    // `vanilla: misconception 12% against the base’s 33% (−21 points, n = 1): better.`
    const changes = demo.verdicts.map((text) => text.match(/^(.+?): (.+) (\d+)% against the base’s .*: ([^:]+)\.$/));
    for (const [, label, metric, share, judged] of changes.filter((change) => change !== null)) {
      const of = metrics.find(({ info }) => info.label.toLowerCase() === metric.toLowerCase())!;
      const { cell } = of.after.find(({ name }) => name === label)!;
      expect(percent(cell.mean, 0), `${label}, ${metric}`).toBe(`${share}%`);
      const parts = limits.match(new RegExp(`${escaped(metric)} of ([^;.]*)`, 'i'))?.[1].split(' and ') ?? [];
      expect(parts.includes(label), `${label}, ${metric}: ${limits}`).toBe(judged === NO_CHANGE);
    }
  });

  it('is small, and equal for equal experiments', () => {
    const text = readFileSync(publicFile(demoPath(environment)), 'utf8');
    expect(text.length).toBeLessThan(16_000);
    expect(`${JSON.stringify(demo)}\n`).toBe(text);
  });
});

it.each(['cat/explain', 'exit/e1-again-training'])('the published table of %s follows from its runs', (name) => {
  const path = publicFile(`results/${name}.json.gz`);
  const { runs, table, verdicts: sentences }: ExperimentResult = JSON.parse(gunzipSync(readFileSync(path)).toString());
  expect(buildTable(runs)).toEqual(table);
  expect(verdicts(runs, table)).toEqual(sentences);
});

it('ignores further fields of a result’s records', () => {
  const demo = read(ENVIRONMENT_NAMES[0]);
  const runs = recordsOf(demo).map((run) => ({
    ...run,
    appVersion: demo.app,
    modelSha256: demo.modelSha256,
    graderVersion: demo.graderVersion,
    device: demo.device,
    timings: [{ step: 1, total: Math.PI }],
  })) as unknown as RunRecord[];
  const again = demoOf({ spec: demo.spec, runs, table: demo.table, verdicts: demo.verdicts });
  expect(again).toEqual(demo);
  expect(verdicts(runs, demo.table)[0]).toBe(demo.verdicts[0]);
});

it.each(ENVIRONMENTS)('$id’s card asks a question, and describes the task in a sentence', ({ card }) => {
  expect(card.question).toMatch(/\?$/);
  expect(card.about).toMatch(/\.$/);
});
