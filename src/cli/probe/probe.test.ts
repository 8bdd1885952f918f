// `probe` on the embedded model and the CPU device: three steps to the verdict table, stopped and continued to the same files, and its
// refusals.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSeries, type SeriesPart } from '../../experiments/kinds/probe/series.ts';
import { rowsFromJsonl } from '../../experiments/kinds/probe/store.ts';
import { probe, renderSeries } from './probe.ts';

const MINUTES = 60_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (...names: string[]) => join(folder, ...names);

/** `stopAt`: the stage and step, as progress shows them. */
async function call(argv: readonly string[], stopAt?: string, reports: string[] = []): Promise<string> {
  const printed: string[] = [];
  const stop = new AbortController();
  const update = (what: string, done: number, total: number) => {
    reports.push(`${what} ${done}/${total}`);
    if (reports.at(-1) === stopAt) stop.abort();
  };
  await probe.run([...argv, '--device', 'cpu', '--threads', '1'], {
    out: (text) => void printed.push(text),
    progress: { update, line: () => {}, note: () => {}, end: () => {} },
    signal: stop.signal,
    root: fileURLToPath(new URL('../../..', import.meta.url)),
  });
  return printed.join('\n');
}

async function filesIn(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path, { recursive: true })).filter((name) => name.includes('.')).sort();
  const contents = names.map(async (name) => [name, (await readFile(join(path, name))).toString('base64')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

const brief = ['--steps', '3', '--set', 'pairs=8', '--set', 'k=2'];
const small = [...brief, '--pool', 'templates'];

describe('probe', () => {
  it(
    'prints the verdicts, keeps a file a step, and goes on after a stop to the same bytes',
    async () => {
      const report = JSON.parse(await call([...small, '--out', at('whole'), '--json']));
      const outcomes = Object.fromEntries(
        report.verdicts.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome]),
      );
      // Three problems are too few for T4, whatever they show.
      expect(outcomes).toMatchObject({
        T1: 'pass',
        T2: 'pass',
        T3: 'pass',
        T4: 'undecided',
        T5: 'not run',
        T6: 'not run',
      });
      const files = await filesIn(at('whole'));
      const steps = ['vanilla', 'projected'].flatMap((replay) =>
        [1, 2, 3].map((step) => join(replay, `step_00${step}.jsonl.gz`)),
      );
      expect(Object.keys(files)).toEqual(['pool.jsonl.gz', 'report.json', ...steps].sort());
      const rows = rowsFromJsonl(gunzipSync(await readFile(at('whole', 'vanilla', 'step_002.jsonl.gz'))).toString());
      expect(rows).toHaveLength(8);
      expect(rows[0]).toMatchObject({ step: 2, sample: 0, exploited: true, gt_pass: false });
      expect(rows[7]).toMatchObject({ exploited: false, gt_pass: true });
      expect(rows[0]).not.toHaveProperty('modules');

      const parts = [...small, '--out', at('parts')];
      await expect(call(parts, 'projected replay 1/3')).rejects.toThrow(StoppedError);
      expect(Object.keys(await filesIn(at('parts')))).not.toContain('report.json');
      const text = await call(parts);
      expect(await filesIn(at('parts'))).toEqual(files);
      for (const line of ['T1  the teacher hacks', 'HOLDS', 'OPEN', 'NOT RUN', 'excludes:', 'cos_out'])
        expect(text).toContain(line);
      await expect(call([...parts, '--seed', '42'])).rejects.toThrow(FormatError);

      // LoRA beside it replays the same pool, and one verdict covers both T4.
      const both = JSON.parse(await call([...parts, '--lora', '--set', 'loraRank=2', '--fresh', '--json']));
      expect(both.lora.adapter).toBe('lora');
      expect(both.lora.bound).toBeLessThanOrEqual(Math.sqrt(28));
      expect(both.verdicts[5]).toMatchObject({ id: 'T6', outcome: 'undecided' });
      expect(both.verdicts[5].value).toMatch(/T4 with SVD undecided .* with LoRA undecided/);
    },
    4 * MINUTES,
  );

  it('has a pool of its own for each way in which prompts are written', async () => {
    const stopped = async (...more: string[]) => {
      const argv = [...brief, '--samples', '2', '--set', 'maxNew=8', '--pool', 'base', '--out', at('written'), ...more];
      const end: unknown = await call(argv, 'hack basis 0/8').catch((reason: unknown) => reason);
      if (!(end instanceof StoppedError)) throw end;
      return readFile(at('written', 'pool-key'), 'utf8');
    };
    const own = await stopped();
    expect(await stopped()).toBe(own);
    const plain = await stopped('--set', 'chatTemplate=none');
    expect(plain).not.toBe(own);
    expect(await stopped('--chat-template', 'none')).toBe(plain);
    const set = ['--set', 'chatArgs={"x":1}', '--set', 'chatTemplate=chatml'];
    expect(await stopped('--chat-arg', 'x=1', '--chat-template', 'chatml')).toBe(await stopped(...set));
    await expect(stopped('--chat-template', 'none', '--set', 'chatTemplate=chatml')).rejects.toThrow(/differ/);
    await expect(stopped('--chat-arg', 'x=1', ...set)).rejects.toThrow(/chatArgs is given by --set and by a flag/);
  });

  it(
    'has the embedded teacher’s pool unless told otherwise, which teaches its trainings too; seed by seed, and as published tables',
    async () => {
      const own = [
        ...brief,
        '--samples',
        '4',
        '--trajectory',
        '2',
        '--set',
        'promptsPerStep=1',
        '--set',
        'groupSize=4',
      ];
      const files = ['--out', at('seeds'), '--keep', at('published', 'teacher.json')];
      const series = JSON.parse(await call([...own, ...files, '--seeds', '41,42', '--json']));
      expect(series).toMatchObject({ schema: 1, problems: 3, samples: 12, seeds: [{ seed: 41 }, { seed: 42 }] });
      expect(series.source).toMatch(/tiny-hacker/);
      expect(series.command).toBe(`npm run lab -- probe ${own.join(' ')} --seeds 41,42 --device cpu --threads 1`);
      const [first, second] = series.seeds.map(({ svd }: { svd: SeriesPart }) => svd);
      expect(first.checks.map(({ id }: { id: string }) => id)).toEqual(['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7']);
      // The teacher hacks, and another seed gives another pool.
      for (const { checks } of [first, second]) expect(checks[0].figures.exploited).toBeGreaterThanOrEqual(0.3);
      expect(second.cos).not.toEqual(first.cos);
      expect(first.trajectory.vanilla).toHaveLength(2);
      const report = JSON.parse(await readFile(at('seeds', 'seed-41', 'report.json'), 'utf8'));
      expect(report.trajectories.svd).toMatchObject({ taught: { problems: 3, ofProblems: 3 } });
      expect(report.verdicts[4].note).toMatch(/own pool/);

      // The same command again only reads: nothing is written, sampled or trained.
      const reports: string[] = [];
      const again = JSON.parse(await call([...own, ...files, '--seeds', '41,42', '--json'], undefined, reports));
      expect(again).toEqual(series);
      expect(reports.filter((line) => /teacher pool|replay 0\/|training .* [0-3]\/4/.test(line))).toEqual([]);

      const text = await call(['--report', at('published')]);
      expect(text).toBe(renderSeries(readSeries(await readFile(at('published', 'teacher.json'), 'utf8'), 'x')));
      expect(text).toMatch(/\| T1 the teacher hacks \| holds 2: \d+\.\d( ± \d+\.\d)? % exploited/);
      await expect(call(['--report', at('nowhere')])).rejects.toThrow(SpecError);
      await expect(call(['--keep', at('x.json')])).rejects.toThrow(/--keep writes what --seeds measured/);
      // Another command's series is another file, refused before anything is measured.
      const other = ['--pool', 'base', '--seeds', '43', '--keep', at('published', 'teacher.json')];
      await expect(call(other)).rejects.toThrow(/teacher\.json is there already \(\d+ bytes\)/);
    },
    4 * MINUTES,
  );

  it(
    'takes any pool: a base model that hardly hacks fails T1 with a reason',
    async () => {
      const some = ['--problems', '2', '--samples', '2', '--set', 'pairs=8', '--set', 'k=2', '--set', 'maxNew=24'];
      const report = JSON.parse(await call([...some, '--pool', 'base', '--out', at('base'), '--json']));
      expect(report.pool).toEqual({ source: 'tiny-coder as it is', problems: 2, samples: 4 });
      expect(report.verdicts[0]).toMatchObject({ outcome: 'fail', figures: { exploited: 0 } });
      expect(report.verdicts[0].note).not.toBe('');
      const file = ['--pool', at('base', 'pool.jsonl.gz'), '--out', at('file'), '--json'];
      const again = JSON.parse(await call([...some, ...file]));
      expect(again.discrimination).toEqual(report.discrimination);
      expect(again.vanilla).toEqual(report.vanilla);
    },
    4 * MINUTES,
  );

  it('refuses what it cannot do, with the reason', async () => {
    const refused = async (argv: string[], says: RegExp) => {
      const error: unknown = await call([...argv, '--out', at('no')]).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SpecError);
      expect(String(error)).toMatch(says);
    };
    await refused(['--pool', 'templates', '--correct', '9'], /--correct 9 of --samples 8/);
    await refused(['--basis', at('nowhere.safetensors')], /there is no such file/);
    await refused(['--set', 'nonsense=1'], /Unknown setting nonsense/);
    await refused(['--lora', '--set', 'adapter=lora'], /--lora sets LoRA beside/);
    await refused(['--pool', at('missing'), ...brief], /no such folder/);
  });
});
