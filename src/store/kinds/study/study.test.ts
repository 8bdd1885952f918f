// What the questions view is made from: published files read and refused, what is missing and where it can be made, runs of this
// browser recognised as the study's, marks of the charts, addresses.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { QUESTIONS } from '../../../../research/series/study/questions/index.ts';
import { resultOf } from '../../../../research/series/study/results.ts';
import { type ResultsIndex, readIndex } from '../../../../research/series/study/results-index.ts';
import { shownOf } from '../../../../research/series/study/shown.ts';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { resolveRuns } from '../../../experiments/config/spec.ts';
import type { MarkChart } from '../../../experiments/judge/figures.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { metricValue } from '../../../experiments/records/metrics.ts';
import { controlRow, type FinishedRun } from '../../../experiments/runs/finished.ts';
import { runKey } from '../../../experiments/runs/key.ts';
import { packRuns } from '../../../experiments/runs/pack.ts';
import { madeRuns } from '../../../experiments/testing/study-runs.ts';
import { type SeriesSheet, sheetText } from '../../../findings/sheet.ts';
import type { LoadedExperiment } from '../../../lab/protocol/experiments.ts';
import { gzipText } from '../../../lib/inflate.ts';
import { sha256 } from '../../../storage/sources.ts';
import { modelStyle } from '../../runs/arm-style.ts';
import { curvesOf } from './curves.ts';
import { openPublished } from './load.ts';
import { freeName, missingOf, planOf, studyKeys } from './missing.ts';
import { agree, isOfStudy, type OwnRun, ownRunsOf } from './own.ts';
import { runGroups } from './runs.ts';

const questionOf = (id: QuestionId) => QUESTIONS.find((question) => question.id === id)!;
let q4: Map<string, FinishedRun>;
beforeAll(() => {
  q4 = madeRuns({ questions: ['Q4'] });
});

describe('published results', () => {
  const BASE = 'https://lab.example/sub/';
  async function served(runs: readonly FinishedRun[], change: (files: Map<string, Uint8Array>) => void = () => {}) {
    const bytes = packRuns(runs);
    const file = {
      name: 'q4.json.gz',
      question: 'Q4',
      runs: runs.length,
      bytes: bytes.length,
      sha256: await sha256(bytes),
    };
    const index: ResultsIndex = { schema: 1, runs: runs.length, bytes: bytes.length, files: [file] };
    const files = new Map([
      ['index.json', new TextEncoder().encode(JSON.stringify(index))],
      [file.name, bytes],
    ]);
    change(files);
    const asked: string[] = [];
    const get = async (url: string) => {
      asked.push(url);
      const found = files.get(url.slice(`${BASE}results/`.length));
      return found ? new Response(new Uint8Array(found)) : new Response('', { status: 404 });
    };
    return { get, asked };
  }
  const few = () => [...q4.values()].slice(0, 3);

  it('come back as they were packed, from below the page’s own address, a file when it is asked for', async () => {
    const { get, asked } = await served(few());
    const found = (await openPublished(BASE, get))!;
    expect(found.sheet).toBeNull();
    expect(asked).toEqual([`${BASE}results/index.json`, `${BASE}results/study/sheet.json.gz`]);
    const byKey = new Map((await found.rows('q4.json.gz')).map((run) => [run.key, run]));
    expect(asked.at(-1)).toBe(`${BASE}results/q4.json.gz`);
    expect(byKey.size).toBe(3);
    for (const run of few()) {
      const { seconds, record, ...rest } = byKey.get(run.key)!;
      expect({ ...rest, record }).toEqual({ ...run, record: { ...run.record, timings: [] } });
      expect(seconds).toBe(60);
    }
  });

  it('bring their sheets with them where these are of the same rows', async () => {
    const results = QUESTIONS.map((question) => resultOf(question, question.id === 'Q4' ? q4 : new Map()));
    const questions = results.flatMap((result) => shownOf(result, { files: () => ['q4.json.gz'] }));
    const sheetFor = ({ files }: ResultsIndex): SeriesSheet => {
      const rows = files.map(({ sha256: digest }) => digest);
      return { questions, first: ['**One.** Two.'], origin: { about: ['Made up.'], runs: q4.size, seconds: 60, rows } };
    };
    const put = (files: Map<string, Uint8Array>, bytes: Uint8Array) => files.set('study/sheet.json.gz', bytes);
    let index: ResultsIndex | null = null;
    const { get } = await served(few(), (files) => {
      index = readIndex(new TextDecoder().decode(files.get('index.json')));
      put(files, gzipText(sheetText(sheetFor(index))));
    });
    const found = await openPublished(BASE, get);
    // As drawn and as printed: the same words and numbers.
    expect(found?.sheet).toEqual(JSON.parse(JSON.stringify(sheetFor(index!))));
    const other = await served(few(), (files) => {
      put(files, gzipText(sheetText(sheetFor({ ...index!, files: [] }))));
    });
    expect((await openPublished(BASE, other.get))?.sheet).toBeNull();
    const bent = await served(few(), (files) => put(files, new Uint8Array([0x1f, 0x8b, 1])));
    await expect(openPublished(BASE, bent.get)).rejects.toThrow(/sheet.json.gz is damaged/);
  });

  it('are none where there is no index, or a page in its place', async () => {
    expect(await openPublished(BASE, async () => new Response('', { status: 404 }))).toBeNull();
    const page = async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
    expect(await openPublished(BASE, page)).toBeNull();
  });

  it('are refused when a file is missing, cut, exchanged, or holds what no run holds', async () => {
    const refusal = async (change: (files: Map<string, Uint8Array>) => void, runs = few()) => {
      const { get } = await served(runs, change);
      return expect(openPublished(BASE, get).then((found) => found?.rows('q4.json.gz'))).rejects;
    };
    await (await refusal((files) => files.delete('q4.json.gz'))).toThrow(/could not be loaded \(404\)/);
    await (await refusal((files) => files.set('q4.json.gz', files.get('q4.json.gz')!.slice(0, 500)))).toThrow(
      /does not match the index/,
    );
    await (await refusal((files) => files.set('index.json', new TextEncoder().encode('{"schema":2}')))).toThrow(
      FormatError,
    );
    const [first] = few();
    const bent = { ...first, record: { ...first.record, evals: [{ ...first.record.evals[0], step: 'last' }] } };
    await (await refusal(() => {}, [bent as unknown as FinishedRun])).toThrow(/evals\.0\.step/);
    const [row] = first.rerouted.length ? first.rerouted : few().flatMap(({ rerouted: replayed }) => replayed);
    const routed = { ...first, rerouted: [{ ...row, row: { ...row.row, all: null } }] };
    await (await refusal(() => {}, [routed as unknown as FinishedRun])).toThrow(FormatError);
  });
});

describe('what is missing', () => {
  const none: ReadonlyMap<string, OwnRun> = new Map();
  const controlCount = () => planOf('Q4').jobs.reduce((sum, { shadows: controls }) => sum + controls.length, 0);

  it('is everything where nothing is, as experiments that make the study’s own runs', async () => {
    const { experiments, routes, runs, quarantines, elsewhere, cost } = missingOf('Q4', new Map(), none);
    expect(routes).toEqual([]);
    expect([runs, quarantines, elsewhere]).toEqual([q4.size, controlCount(), 0]);
    expect(cost).toBeGreaterThan(0);
    const made = new Set(experiments.flatMap(({ spec }) => resolveRuns(spec).map(runKey)));
    for (const key of q4.keys()) expect(made).toContain(key);
    const keys = await studyKeys();
    expect(experiments.every(({ spec }) => isOfStudy(spec, keys))).toBe(true);
    const foreign = { ...experiments[0].spec, arms: ['of-another-version' as never] };
    expect(isOfStudy(foreign, keys)).toBe(false);
  });

  it('is nothing where all is there', () => {
    const { cost, ...rest } = missingOf('Q4', q4, none);
    expect(rest).toEqual({ experiments: [], routes: [], runs: 0, quarantines: 0, elsewhere: 0 });
    expect(cost).toBe(0);
  });

  it('of a published run’s quarantines is for the command line, of one’s own run for this browser', () => {
    const bare = new Map([...q4].map(([key, run]) => [key, { ...run, rerouted: [] }]));
    expect(missingOf('Q4', bare, none)).toMatchObject({ runs: 0, quarantines: 0, elsewhere: controlCount(), cost: 0 });
    const own = new Map([...bare].map(([key, run]) => [key, { ...run, experimentId: 'mine' }]));
    const here = missingOf('Q4', bare, own);
    expect(here).toMatchObject({ runs: 0, quarantines: controlCount(), elsewhere: 0 });
    expect(here.routes.map(({ experimentId, runs }) => [experimentId, runs.length])).toEqual([['mine', 10]]);
    expect(here.cost).toBeGreaterThan(0);
  });

  it('trains vanilla too for a basis that is matched to it', () => {
    const { experiments } = missingOf('Q12', new Map(), none);
    const matched = experiments.filter(({ spec }) => spec.arms.length > 1);
    expect(matched.map(({ spec }) => spec.arms[0])).toContain('route-update');
  });

  it('is named so that no model of the runs has the name', () => {
    const [run] = [...q4.values()].filter(({ record }) => record.spec.arm === 'route-update');
    expect(freeName('k1', [run.record])).toBe('k1');
    expect(freeName('no_gate', [run.record])).toBe('no_gate 2');
  });
});

describe('runs of this browser', () => {
  const keptAs = (runs: RunRecord[]) => ({ record: { id: 'mine' }, runs }) as LoadedExperiment;

  it('are the study’s by what decides them, with the quarantines routed here', async () => {
    const source = [...q4.values()].find(({ rerouted: replayed }) => replayed.length > 0)!;
    const [{ shadow: control, row }] = source.rerouted;
    const record: RunRecord = {
      ...source.record,
      id: 'mine/route-update/41',
      evals: [...source.record.evals, { ...row, model: 'other name' }],
      rerouted: [{ shadow: { ...control, id: 'other name' }, removed: 1, ownRemoved: 2, device: 'CPU' }],
    };
    const [found] = ownRunsOf(keptAs([record]), await studyKeys());
    expect([found.key, found.experimentId]).toEqual([source.key, 'mine']);
    expect(controlRow(control, found)?.all).toEqual(row.all);
  });

  it('are none of another setting, nor half-finished', async () => {
    const [[{ record }], keys] = [q4.values(), await studyKeys()];
    expect(ownRunsOf(keptAs([{ ...record, spec: { ...record.spec, lr: 0.5 } }]), keys)).toEqual([]);
    expect(ownRunsOf(keptAs([{ ...record, rows: record.rows.slice(1) }]), keys)).toEqual([]);
  });

  it('agree with the published ones by their steps, whatever quarantines either carried', async () => {
    const run = [...q4.values()].find(({ record }) => record.spec.arm === 'route-update')!;
    const rows = run.record.rows.map((row) => ({ ...row, shadowNorms: {}, shadowCin: { k99: 0.5 } }));
    expect(await agree(run, { ...run, record: { ...run.record, rows } })).toBe(true);
    const off = rows.map((row) => ({ ...row, gradNorm: row.gradNorm * (1 + 2 ** -52) }));
    expect(await agree(run, { ...run, record: { ...run.record, rows: off } })).toBe(false);
  });

  it('stand in the list of runs as run here', () => {
    const [[key, run]] = q4;
    const own = new Map([[key, { ...run, experimentId: 'mine' }]]);
    const slots = runGroups('Q4', { published: new Map(), own }).flatMap((group) => group.slots);
    expect(slots.filter(({ runId }) => runId !== null)).toEqual([
      { seed: run.record.spec.seed, runId: run.record.id, isHere: true },
    ]);
    expect(slots.length).toBe(q4.size);
  });
});

describe('charts', () => {
  const shown = (id: QuestionId, runs: ReadonlyMap<string, FinishedRun>) => shownOf(resultOf(questionOf(id), runs))[0];
  const panelsOf = (id: QuestionId, runs: ReadonlyMap<string, FinishedRun>) =>
    (shown(id, runs).chart as MarkChart).panels;

  it('have a mark per cell with a run, numbered as in the table, seeds around it', () => {
    const part = new Map([...q4].filter(([, { record }]) => record.spec.arm === 'route-update'));
    const [{ marks }] = panelsOf('Q4', part);
    const cells = questionOf('Q4').cells;
    const rows = cells.flatMap(({ arm }, i) => (arm === 'route-update' ? [i + 1] : []));
    expect(marks.map(({ row }) => row)).toEqual(rows);
    const [vanilla] = marks;
    expect(vanilla.each).toHaveLength(10);
    expect(vanilla.each.reduce((sum, [, y]) => sum + y, 0) / 10).toBeCloseTo(vanilla.y, 12);
    expect(marks.at(-1)).toMatchObject({ row: cells.findIndex(({ id }) => id === 'base') + 1, each: [] });
    // Of what a browser made itself the table says so, and how each row looks.
    const [table] = shownOf(resultOf(questionOf('Q4'), part), { here: new Map([['base', 2]]) })[0].tables;
    expect(table.marks?.at(-1)).toMatchObject({ look: { model: 'base' }, tags: ['2 here'] });
  });

  it('have base and honest-only as corners where a question asks what is kept, and a line along k', () => {
    const panels = panelsOf('Q18', madeRuns({ questions: ['Q18'] }));
    expect(panels.map(({ id, y }) => [id, y.label])).toEqual([
      ['0', 'hack'],
      ['0.5', 'hack removed'],
      ['0.75', 'hack removed'],
    ]);
    const { cells } = questionOf('Q18');
    const at = (id: string) => panels[2].marks.find(({ row }) => cells[row - 1].id === id);
    expect(at('base@0.75')).toMatchObject({ x: 0, y: 1 });
    expect(at('honest@0.75')?.x).toBeCloseTo(1, 12);
    expect(at('vanilla@0.75')?.y).toBe(0);
    expect(panels[2].line.map((row) => cells[row - 1].id)).toEqual(
      ['k1', 'k2', 'k3', 'k5', 'k8', 'k12', 'k16', 'k24'].map((id) => `${id}@0.75`),
    );
  });

  it('have a panel for each held-out mode and each draw, and so has a long table its parts', () => {
    const parts = (id: QuestionId) => {
      const titles = shown(id, new Map()).tables[0].marks?.map(({ part }) => part) ?? [];
      return [...new Set(titles)].map((title) => [title, titles.filter((part) => part === title).length]);
    };
    expect(parts('Q14')).toHaveLength(6);
    expect(parts('Q14').map(([title]) => title)).toContain('sentinel');
    expect(parts('Q20')).toEqual([11, 12, 13, 14, 15].map((draw) => [`draw ${draw}`, 10]));
    expect(parts('Q18').map(([title]) => title)).toEqual([
      'hackable problems only',
      '50% honest problems',
      '75% honest problems',
    ]);
    expect(panelsOf('Q4', q4).map(({ id }) => id)).toEqual(['']);
    const q20 = panelsOf('Q20', madeRuns({ questions: ['Q20'], seeds: [41] }));
    expect(q20.map(({ id }) => id)).toEqual(['draw-11', 'draw-12', 'draw-13', 'draw-14', 'draw-15']);
  });

  it('draw the trained lines along their steps, a band where there are several seeds', () => {
    const runs = { get: (key: string) => q4.get(key) };
    const curves = curvesOf('Q4', runs, 'hack');
    expect(curves.map(({ id }) => id)).toContain('vanilla');
    expect(curves.every(({ id }) => questionOf('Q4').cells.find((cell) => cell.id === id)?.model === 'total')).toBe(
      true,
    );
    const [vanilla] = curves;
    expect(vanilla.n).toBe(10);
    expect(vanilla.points[0].half).not.toBeNull();
    const [first] = [...q4.values()].filter(({ record }) => record.spec.arm === 'route-update');
    const alone = curvesOf('Q4', { get: (key) => (key === first.key ? first : undefined) }, 'hack');
    expect(alone.map(({ id, n }) => [id, n])).toEqual([['vanilla', 1]]);
    // The first step of an average has nothing behind it.
    expect(alone[0].points[0]).toEqual({
      step: 1,
      mean: metricValue(first.record.rows[0].student, 'hack'),
      half: null,
    });
  });

  it('show vanilla as vanilla wherever it was trained, and the controls apart', () => {
    const control = { id: 's', kind: 'random', gate: 'one_sided', k: 5, mode: null } as const;
    const [vanilla, deployed, random, base] = [
      modelStyle({ arm: 'route-update', model: 'total' }),
      modelStyle({ arm: 'route-update', model: 'deployed' }),
      modelStyle({ arm: 'route-update', model: 's', shadow: control }),
      modelStyle({ arm: 'route-update', model: 'base' }),
    ];
    expect(vanilla).toEqual(modelStyle({ arm: 'none', model: 'total' }));
    expect(new Set([vanilla, deployed, random, base].map(({ color }) => color)).size).toBe(4);
    // A control looks the same, whether it rides along by its name or was asked for; and a baseline is not vanilla.
    expect(modelStyle({ arm: 'route-update', model: 'random_V' })).toEqual(random);
    const adapterParams = [{}, { rewardPenalty: 2 }, { screening: true }, { mix: 0 }];
    const looks = adapterParams.map((overrides) => modelStyle({ arm: 'none', model: 'total', overrides }));
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(adapterParams.length);
  });
});
