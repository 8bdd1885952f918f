// Tests that docs/lab-book/projected-grpo.md follows from the published results, with no figure written by hand; that packing a folder's
// runs and reading them back loses nothing; and that two runs of the CPU device can be repeated, row for row, for their first steps.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedHost, embeddedHost } from '../../../src/cli/run/embedded-host.ts';
import type { EvalRow, StepRow } from '../../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { trainPlanned } from '../../../src/experiments/runs/runner.ts';
import { memoryRunStore } from '../../../src/experiments/runs/testing/memory-run-store.ts';
import { evaluationMade, runMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { readSheet, sheetText } from '../../../src/findings/sheet.ts';
import { mean } from '../../../src/stats/index.ts';
import { sha256 } from '../../../src/storage/sources.ts';
import { filledIn, textBetween } from '../../judge/markers.ts';
import { readPacked } from '../../judge/pack.ts';
import { publishedSheet, writeSummary } from '../../judge/publish.ts';
import { FINDINGS_PAGE, findingsSummary, STUDY_MARKERS } from '../../judge/readme.ts';
import { planStudy, runsOf } from './plan.ts';
import { publish, published, type Report, readPublished, reportOf } from './publish.ts';
import { readIndex } from './results-index.ts';
import { madeRuns } from './testing/study-runs.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const STEPS = 3;
const MINUTES = 60_000;

/** The published runs, read once: there are hundreds. */
let readOnce: ReturnType<typeof readPublished> | undefined;
const filesHere = () => (readOnce ??= readPublished(ROOT));
const publishedHere = async () => (await filesHere()).runs;

describe('docs/lab-book/projected-grpo.md and the page of findings', () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf(ROOT, await filesHere());
  }, 10 * MINUTES);

  it('the lab book equals the output of `npm run research -- publish` from public/results', async () => {
    const kept = await readFile(join(ROOT, 'docs', 'lab-book', 'projected-grpo.md'), 'utf8');
    expect(kept).toBe(report.results);
  });

  it('the page’s sheet equals the one computed from the rows, and reads back unchanged', async () => {
    const kept = await publishedSheet(ROOT, 'study');
    // Compares values: a difference of two long strings would be unreadable.
    expect(JSON.parse(kept)).toEqual(JSON.parse(sheetText(report.sheet)));
    expect(readSheet(kept)).toEqual(JSON.parse(JSON.stringify(report.sheet)));
    // The page compares these digests to check that the sheet belongs to the rows beside it.
    const index = readIndex(await readFile(join(ROOT, 'public', 'results', 'index.json'), 'utf8'));
    expect(report.sheet.origin?.rows).toEqual(index.files.map(({ sha256: digest }) => digest));
  });

  it('have the same verdicts, n and figures everywhere', () => {
    for (const { id, standing, said, verdict, n, figures } of report.sheet.questions.filter(({ id }) =>
      /^Q\d+$/.test(id),
    )) {
      const at = report.results.indexOf(`## ${id}: `);
      const part = report.results.slice(at, report.results.indexOf('\n## ', at + 1));
      const match = /\*\*Verdict \([^)]*?(?:, n = (\d+))?\)\.\*\* (.*)/.exec(part)!;
      expect(Number(match[1] ?? 0), id).toBe(n);
      expect(match[2].toLowerCase().endsWith(said.toLowerCase()), id).toBe(true);
      expect(part).toContain(verdict);
      const word = { holds: 'holds', fails: 'fails', 'in part': 'holds in part', open: 'is open' } as const;
      if (standing !== 'not run' && match[2].startsWith('The hypothesis'))
        expect(match[2], id).toMatch(new RegExp(`^The hypothesis ${word[standing]}: `));
      expect(figures.length, id).toBeGreaterThan(0);
    }
  });

  it('the summary on the page of findings is the command’s output, with figures only from rows', async () => {
    const readme = findingsSummary(new Map([['study', report.sheet]]));
    const kept = await readFile(join(ROOT, FINDINGS_PAGE), 'utf8');
    expect(kept).toBe(filledIn(kept, STUDY_MARKERS, readme));
    const written = textBetween(kept, STUDY_MARKERS);
    expect(written).toMatch(/- \*\*Template-bound\.\*\* \d+% of the teacher’s rows/);
    // Figures appear only between the markers: one written by hand would not change with the rows.
    const readmeText = await readFile(join(ROOT, 'README.md'), 'utf8');
    const marked = /<!-- (?!end)[\w -]+ -->[\s\S]*?<!-- (end[\w ]*|\/\w+) -->/g;
    const byHand = [kept, readmeText].map((text) => text.replace(marked, ''));
    // The level of an interval is no figure of the rows.
    for (const text of byHand) expect(text.replaceAll('95% interval', '')).not.toMatch(/\d\s?(%|points)|\bn = \d/);
    expect(readme.join(' ')).not.toMatch(/NaN|undefined|\bnull[%,)]|= null/);
  });

  it('distinguish what is kept on honest problems from what is solved again without hacking (Q18)', async () => {
    const runs = [...(await publishedHere()).values()].map(({ record }) => record);
    const own = (arm: string) => runs.filter(({ spec }) => spec.arm === arm && isQ18(spec));
    const isQ18 = ({ honestShare, k, dataSeed, rewardPenalty, preset }: (typeof runs)[number]['spec']) =>
      preset === 'capability' && honestShare === 0.75 && k === 5 && dataSeed === 7 && !rewardPenalty;
    const honest = own('honest-only');
    const solve = (all: typeof runs, model: string, of: (rates: EvalRow) => number) =>
      mean(
        honest.flatMap(({ spec: { seed } }) => {
          const run = all.find(({ spec }) => spec.seed === seed);
          const row = run?.evals.find((one) => one.kind === 'final' && one.model === model);
          return row ? [of(row)] : [];
        }),
      )!;
    const routed = own('route-update');
    const kept = (model: string, of: (row: EvalRow) => number) => {
      const base = solve(honest, 'base', of);
      return Math.round((100 * (solve(routed, model, of) - base)) / (solve(honest, 'total', of) - base));
    };
    const alone = (row: EvalRow) => row.all.figures['solve:honest']!;
    const all = (row: EvalRow) => row.all.figures.solve!;
    const line = report.sheet.first?.find((one) => one.startsWith('**Kept.**'));
    // A routing run trains exactly as vanilla does: its whole model is vanilla's.
    const said = [alone, all].map((of) => [kept('deployed', of), kept('total', of)]);
    expect(honest).toHaveLength(10);
    expect(line).toContain(`the deployed model has ${said[0][0]}%, vanilla ${said[0][1]}%`);
    expect(line).toContain(`Over all problems it reads ${said[1][0]}% and ${said[1][1]}%`);
    expect(line).toContain('(Q18)');
  });

  it('state for Q14 in the summary what its verdict says: which modes are reached, which are not, which are open', () => {
    const lines = report.results.split('\n');
    const first = lines.find((line) => line.startsWith('- **Held-out modes**'))!;
    const verdict = lines.find((line) => line.startsWith('- Q14 '))!;
    expect(report.sheet.first?.some((line) => line.includes(first.slice(first.indexOf('Of modes'))))).toBe(true);
    const group = (text: string, head: string) => {
      const part = text.split(/[;:] (?:but )?/).find((one) => one.startsWith(head)) ?? '';
      return [
        ...new Set(part.match(/\b(run_tests|sentinel|stdout_marker|file_marker|eq_override|exit_code)\b/g)),
      ].sort();
    };
    const reached = group(first, 'the quarantine reaches');
    expect(reached).toEqual(group(verdict, 'the quarantine reaches'));
    const not = group(first, 'it does not reach');
    expect(not).toEqual(group(verdict, 'it does not reach'));
    const open = group(first, 'whether it reaches');
    expect(open).toEqual(group(verdict, 'whether the quarantine reaches'));
    expect([reached.length, not.length, open.length]).toEqual([3, 1, 1]);
    // A mode that is not reached has lost less than half.
    for (const mode of not) expect(first).toMatch(new RegExp(`${mode} \\([−\\d]+%, less than half\\)`));
  });

  it(
    'follow the rows: other runs, other figures',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'readme-'));
      try {
        const text = `# Title\n\n${STUDY_MARKERS.start}\n\nold 99%\n\n${STUDY_MARKERS.end}\n\nRest.\n`;
        for (const folder of ['lab-book', 'explanation']) await mkdir(join(root, 'docs', folder), { recursive: true });
        const page = join(root, FINDINGS_PAGE);
        await writeFile(page, text);
        const fill = async () => writeSummary(root, new Map([['study', (await reportOf(root)).sheet]]));
        expect(await fill()).toBe(true);
        const none = await readFile(page, 'utf8');
        expect(none).toMatch(/^# Title\n\n[\s\S]*\b0 runs[\s\S]*\n\nRest\.\n$/);
        expect(none).not.toContain('99%');
        await publish(madeRuns({ questions: ['Q2'], seeds: [41, 42] }), root);
        await fill();
        expect(await readFile(page, 'utf8')).toMatch(/\(Q2, n = 2 training seeds\)/);
        await writeFile(page, 'no markers');
        expect(await fill()).toBe(false);
        expect(await readFile(page, 'utf8')).toBe('no markers');
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    },
    10 * MINUTES,
  );
});

describe('publish', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'results-'));
    await mkdir(join(root, 'public', 'results'), { recursive: true });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('packs the study’s runs by question, leaves others out, and the same runs give the same bytes', async () => {
    const made = runsOf(planStudy({ questions: ['Q2', 'Q16'], seeds: [41, 42] })).map(({ key, spec }): FinishedRun => {
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
    expect((await reportOf(root)).results).toMatch(/\| LoRA, vanilla \| 2 of 5 \| 50\.0/);
  });
});

describe('the commit that made a run', () => {
  it('is published in the index and not in the files, and stays the first one’s', async () => {
    const root = await mkdtemp(join(tmpdir(), 'commits-'));
    const read = async () => {
      const index = JSON.parse(await readFile(join(root, 'public', 'results', 'index.json'), 'utf8'));
      return { made: index.made, digests: index.files.map(({ sha256 }: { sha256: string }) => sha256) };
    };
    const [first, later] = ['a'.repeat(40), `${'b'.repeat(40)}-dirty`];
    const runs = [...madeRuns({ questions: ['Q2'], seeds: [41, 42] }).values()];
    const [old, fresh] = [runs.slice(0, 2), runs.slice(2)];
    const by = (commit: string, some: FinishedRun[]) =>
      some.map((run) => ({ ...run, commit, rerouted: run.rerouted.map((one) => ({ ...one, commit })) }));
    const all = (...some: FinishedRun[][]) => new Map(some.flat().map((run) => [run.key, run]));
    try {
      // These are published without commits, like runs from before they were recorded.
      await publish(all(old), root);
      expect((await read()).made).toBeUndefined();
      // Runs published without a commit keep none if repeated; new runs have their own.
      await publish(all(by(later, old), by(first, fresh)), root);
      const { made, digests } = await read();
      expect(made.map(({ commit }: { commit: string }) => commit)).toEqual([first]);
      expect([...made[0].runs].sort()).toEqual(fresh.map(({ key }) => key).sort());
      const known = await published(root);
      expect(known.get(fresh[0].key)?.commit).toBe(first);
      expect(known.get(old[0].key)).not.toHaveProperty('commit');
      expect((await reportOf(root)).results).toContain(
        `Code: ${fresh.length} runs by commit ${'a'.repeat(12)}; of 2 the commit was not kept.`,
      );
      // The same rows by another commit give the same bytes, whether published before or not.
      await publish(all(by(later, old), by(later, fresh)), root);
      expect(await read()).toEqual({ made, digests });
      const other = await mkdtemp(join(tmpdir(), 'commits-'));
      await publish(all(by(later, runs)), other);
      const theirs = JSON.parse(await readFile(join(other, 'public', 'results', 'index.json'), 'utf8'));
      expect(theirs.files.map(({ sha256 }: { sha256: string }) => sha256)).toEqual(digests);
      expect(theirs.made[0].commit).toBe(later);
      await rm(other, { recursive: true, force: true });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});

describe('a published run', () => {
  const KINDS = [
    ['vanilla (route, update)', (run: FinishedRun) => run.record.spec.projectTarget === 'update'],
    [
      'projected gradients',
      (run: FinishedRun) => run.record.spec.projection !== 'none' && run.record.spec.projectTarget === 'gradient',
    ],
  ] as const;
  // `study` makes them one after the other on the same device: both start with the same basis.
  const store = memoryRunStore();
  let host: EmbeddedHost;
  beforeAll(() => {
    const { signal } = new AbortController();
    host = embeddedHost({ root: ROOT, device: 'cpu', threads: 1, store, signal });
  });
  afterAll(() => host.close());

  it.each(KINDS)(
    'of %s is repeated on the CPU device with the same first rows',
    async (kind, isKind) => {
      const found = [...(await publishedHere()).values()].find(
        (run) => run.record.device.startsWith('CPU') && run.record.spec.basisSource === 'pairs' && isKind(run),
      );
      if (!found) {
        console.warn(`Skipped: no run of ${kind} made on the CPU device is published.`);
        return;
      }
      const rows: StepRow[] = [];
      const run = { key: found.key, spec: found.record.spec };
      for await (const event of trainPlanned(run, store, host)) {
        if (event.type === 'step') rows.push(event.row);
        if (rows.length === STEPS) break;
      }
      expect(rows).toEqual(found.record.rows.slice(0, STEPS));
    },
    10 * MINUTES,
  );
});

describe('the runs that were published before commits were recorded', () => {
  const filesOf = async (root: string) => {
    const folder = join(root, 'public', 'results');
    const names = (await readdir(folder)).filter((name) => /^q\d+\.json\.gz$/.test(name));
    return Promise.all(
      names.map(async (name) => ({ name, bytes: new Uint8Array(await readFile(join(folder, name))) })),
    );
  };

  it('keep their keys and their bytes in the files', async () => {
    const later = new Set([...(await publishedHere()).values()].filter(({ commit }) => commit).map(({ key }) => key));
    const entries = (await filesOf(ROOT)).flatMap(({ name, bytes }) => readPacked(bytes, name));
    const old = entries.filter(({ key }) => !later.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(old.length).toBe(470);
    // Digest of the text before compression, run by run.
    const text = JSON.stringify({ format: 'projected-grpo-lab study 1', runs: old });
    expect(await sha256(new TextEncoder().encode(text))).toBe(
      '989f5ac8f5b4d194cb0b010c3fd698b8ca5bdee29a2ebe5035dbe47c97fde557',
    );
  });

  it('stay unchanged when a clone publishes them again', async () => {
    const root = await mkdtemp(join(tmpdir(), 'again-'));
    try {
      // One file keeps the original order of fields of some runs, the other was rewritten since.
      const names = ['q3.json.gz', 'q2.json.gz'];
      const kept = (await filesOf(ROOT)).filter(({ name }) => names.includes(name));
      const index = JSON.parse(await readFile(join(ROOT, 'public', 'results', 'index.json'), 'utf8'));
      const files = index.files.filter(({ name }: { name: string }) => names.includes(name));
      await mkdir(join(root, 'public', 'results'), { recursive: true });
      await writeFile(join(root, 'public', 'results', 'index.json'), JSON.stringify({ ...index, files }));
      for (const { name, bytes } of kept) await writeFile(join(root, 'public', 'results', name), bytes);
      await publish(await published(root), root);
      const texts = (all: typeof kept) => all.map(({ name, bytes }) => [name, JSON.stringify(readPacked(bytes, name))]);
      expect(texts(await filesOf(root))).toEqual(texts(kept));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
