// The published results: docs/results.md is what they give, no figure in it is written by hand; packing a folder's runs and
// reading them back loses nothing; and two runs made on the CPU device come out again, row for row, for their first steps.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepRow } from '../experiments/events.ts';
import type { StudyRun } from '../experiments/study/figures.ts';
import { planStudy, runsOf } from '../experiments/study/plan.ts';
import { runJob } from '../experiments/study/runner.ts';
import { memoryStudyStore } from '../experiments/study/store.ts';
import { evaluationMade, runMade } from '../experiments/testing/statistics-runs.ts';
import { StoppedError } from '../lib/errors.ts';
import { openStudyHost } from './study-host.ts';
import { publish, published, reportText } from './study-publish.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STEPS = 3;
const MINUTES = 60_000;

describe('docs/results.md', () => {
  it('is what `npm run lab -- study --report` makes from public/results', async () => {
    const kept = await readFile(join(ROOT, 'docs', 'results.md'), 'utf8');
    expect(kept).toBe(await reportText(ROOT));
  });
});

describe('publish', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'results-'));
    await mkdir(join(root, 'public', 'results'), { recursive: true });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('packs the study’s runs by question, leaves others out, and the same runs give the same bytes', async () => {
    const made = runsOf(planStudy({ questions: ['Q2', 'Q16'], seeds: [41, 42] })).map(({ key, spec }): StudyRun => {
      const record = runMade({ arm: 'none', seed: spec.seed });
      const evals = [...record.evals, evaluationMade('deployed', 0.1, 0.4)];
      const rows = Array.from({ length: spec.steps }, (_, i) => ({ ...record.rows[0], step: i + 1 }));
      return { key, record: { ...record, spec, rows, evals }, rerouted: [] };
    });
    const other = { ...made[0], key: 'a short check' };
    const runs = new Map([...made, other].map((run) => [run.key, run]));
    expect(await publish(runs, root)).toMatch(new RegExp(`^${made.length} runs in \\d files`));
    const files = async () => {
      const index = JSON.parse(await readFile(join(root, 'public', 'results', 'index.json'), 'utf8'));
      const bytes = index.files.map(({ name }: { name: string }) => readFile(join(root, 'public', 'results', name)));
      return { index, bytes: await Promise.all(bytes) };
    };
    const first = await files();
    const read = await published(root);
    expect([...read.keys()].sort()).toEqual(made.map(({ key }) => key).sort());
    expect([...read.values()].map(({ record }) => record.rows)).toEqual(
      [...read.keys()].map((key) => runs.get(key)?.record.rows),
    );
    await publish(new Map([...runs].reverse()), root);
    expect(await files()).toEqual(first);
    expect(await reportText(root)).toMatch(/\| LoRA, vanilla \| 2 of 5 \| 50\.0/);
  });
});

describe('a published run', () => {
  const KINDS = [
    ['vanilla (route, update)', (run: StudyRun) => run.record.spec.projectTarget === 'update'],
    [
      'projected gradients',
      (run: StudyRun) => run.record.spec.projection !== 'none' && run.record.spec.projectTarget === 'gradient',
    ],
  ] as const;
  it.each(KINDS)(
    'of %s is made again on the CPU device: the same first rows',
    async (kind, isKind) => {
      const found = [...(await published(ROOT)).values()].find(
        (run) => run.record.device.startsWith('CPU') && run.record.spec.basisSource === 'pairs' && isKind(run),
      );
      if (!found) {
        console.warn(`Skipped: no run of ${kind} made on the CPU device is published.`);
        return;
      }
      const stop = new AbortController();
      const store = memoryStudyStore();
      const quiet = { update: () => {} };
      const host = await openStudyHost({ root: ROOT, device: 'cpu', store, progress: quiet, signal: stop.signal });
      const rows: StepRow[] = [];
      try {
        const run = { key: found.key, spec: found.record.spec };
        for await (const event of runJob({ question: 'Q1', run, shadows: [], needs: null }, store, host)) {
          if (event.type !== 'step') continue;
          rows.push(event.row);
          if (rows.length === STEPS) stop.abort(new StoppedError());
        }
      } catch (error) {
        if (!(error instanceof StoppedError)) throw error;
      } finally {
        await host.close();
      }
      expect(rows).toEqual(found.record.rows.slice(0, STEPS));
    },
    10 * MINUTES,
  );
});
