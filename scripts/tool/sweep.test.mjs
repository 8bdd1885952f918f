// Tests a sweep whose workers are processes: one is killed during a run, another continues from its last checkpoint, and the results equal those
// of a single process byte for byte.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { command } from './campaign-process.mjs';

const SPEC = {
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 4, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', values: [0.01, 0.03] }],
  seeds: [41, 42],
};

let root;
let bundle;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'sweep-'));
  writeFileSync(join(root, 'spec.json'), JSON.stringify(SPEC));
  bundle = await bundleCli();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sweep = (name, out, ...more) => command(bundle, ['sweep', name, ...more, join(root, out)]);
const train = (out, jobs) =>
  command(bundle, ['sweep', 'run', join(root, 'spec.json'), '--jobs', String(jobs), '--out', join(root, out)]);
const results = async (out) => {
  expect((await sweep('collect', out)).code).toBe(0);
  return readFileSync(join(root, out, 'results.jsonl'), 'utf8');
};

/** Waits for a worker that has a checkpoint of its unfinished run. */
async function atWork(folder) {
  for (let tries = 0; tries < 2000; tries++) {
    const claims = existsSync(join(folder, 'claims')) ? readdirSync(join(folder, 'claims')) : [];
    for (const id of claims.filter((name) => /^[0-9a-f]{16}$/.test(name))) {
      const log = join(folder, 'logs', `${id}.log`);
      if (!existsSync(log) || !readFileSync(log, 'utf8').includes('checkpoint at step 1')) continue;
      const text = existsSync(join(folder, 'claims', id)) ? readFileSync(join(folder, 'claims', id), 'utf8') : '';
      if (text) return { id, log, ...JSON.parse(text) };
    }
    await setTimeout(10);
  }
  throw new Error('no worker has begun');
}

it('gives the same bytes when one of two workers is killed and the other continues its run', async () => {
  expect(await train('alone', 1)).toMatchObject({ code: 0 });
  const both = train('both', 2);
  const { pid, id, log } = await atWork(join(root, 'both'));
  process.kill(pid, 'SIGKILL');
  const { code, stderr, stdout } = await both;
  expect([code, stderr]).toEqual([0, expect.stringContaining('A worker process ended (SIGKILL)')]);
  expect(stdout).toContain('4 of 4 runs are done');
  expect(readFileSync(log, 'utf8').match(/taken by/g)?.length).toBe(2);
  // The death is reported, but does not count against the run, which had got further than before.
  const [kept] = readdirSync(join(root, 'both', 'failures', id));
  expect(JSON.parse(readFileSync(join(root, 'both', 'failures', id, kept), 'utf8'))).toMatchObject({ kind: 'lost' });
  expect((await results('both')) === (await results('alone'))).toBe(true);
});

it('stops the same runs at the same bytes by a stop rule, though one of two workers is killed', async () => {
  const ruled = join(root, 'ruled.json');
  const axes = [{ option: 'lr', values: [0.01, 0.1, 0.3] }];
  writeFileSync(ruled, JSON.stringify({ ...SPEC, axes, seeds: [41], stop: { rule: 'median', after: 2 } }));
  const follow = (out, jobs) =>
    command(bundle, ['sweep', 'run', ruled, '--jobs', String(jobs), '--out', join(root, out)]);
  expect(await follow('ruled-alone', 1)).toMatchObject({ code: 0 });
  const both = follow('ruled-both', 2);
  const { pid } = await atWork(join(root, 'ruled-both'));
  process.kill(pid, 'SIGKILL');
  const { code, stdout } = await both;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/3 of 3 runs are done.*\n1 of them were stopped early/)]);
  expect((await results('ruled-both')) === (await results('ruled-alone'))).toBe(true);
});

it('sets a run apart that fails for three workers, continues with the rest, and retries it on request', async () => {
  const folder = join(root, 'broken');
  cpSync(join(root, 'alone'), folder, { recursive: true });
  const [failing] = readdirSync(join(folder, 'runs'));
  const { record } = JSON.parse(readFileSync(join(folder, 'runs', failing), 'utf8'));
  const checkpoint = join(folder, 'checkpoints', record.id.replaceAll('/', '-'));
  rmSync(join(folder, 'runs', failing));
  writeFileSync(checkpoint, 'no checkpoint');
  const first = await train('broken', 1);
  expect(first.code).toBe(1);
  expect(first.stdout).toContain('3 of 4 runs are done, 0 at work, 0 waiting, 1 set apart.');
  expect(first.stdout).toMatch(/set apart after 3 failures of 3 workers {2}.*seed 4\d.*\n.*is damaged/);
  rmSync(checkpoint);
  const again = await command(bundle, ['sweep', 'run', join(root, 'spec.json'), '--retry', '--out', folder]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('4 of 4 runs are done')]);
  expect((await results('broken')) === (await results('alone'))).toBe(true);
  // The error of each failure is kept.
  expect(readdirSync(join(folder, 'failures'))).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.1$/)]);
});
