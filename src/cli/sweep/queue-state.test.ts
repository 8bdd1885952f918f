// `sweep status` on a queue's workers, as the command that feeds the queue has seen them: also after they are gone, and after that command
// has ended.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSweepText } from '../../experiments/sweep/spec.ts';
import { SweepFolder } from './folder.ts';
import { QueueReport } from './queue-state.ts';
import { sweepStatus } from './status.ts';

const SPEC = { preset: 'smoke', arm: 'none', axes: [{ option: 'lr', values: [0.01, 0.03] }], seeds: [41] };
const server = 'redis://there:6379';

let folder: SweepFolder;
let report: QueueReport;
let id: string;
beforeEach(async () => {
  const path = mkdtempSync(join(tmpdir(), 'queue-state-'));
  const spec = readSweepText(JSON.stringify(SPEC), 'spec.json');
  folder = await SweepFolder.create(path, spec, { root: resolve('.'), isOtherAllowed: false, note: () => {} });
  report = new QueueReport(path);
  [{ id }] = (await folder.state()).open;
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

async function status(...more: string[]): Promise<string> {
  const sentences: string[] = [];
  await sweepStatus.run([folder.path, ...more], {
    out: (text) => void sentences.push(text),
    progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
    signal: new AbortController().signal,
    root: resolve('.'),
  });
  return sentences.join('\n');
}

it('names the workers that are at work', async () => {
  await report.write({ server, workers: 2, atWork: [{ id, worker: 'there:7', step: 3 }] });
  expect(await status()).toMatch(
    /, 1 at work, 1 waiting,[\s\S]* {2}\w+ {2}step 3\/\d+ {2}there:7 {2}lr[\s\S]*: 2 workers\.$/,
  );
});

it('says that no worker is there, though the server still has a run as taken', async () => {
  await report.write({ server, workers: 0, atWork: [{ id, worker: 'there:7', step: 3 }] });
  const text = await status();
  expect(text).toContain('0 at work, 2 waiting');
  expect(text).toContain('there:7 (has ended; the next worker goes on)');
  expect(text).toContain(`No worker takes its runs. Start one: npm run lab -- worker --queue ${server}`);
});

it('says that the command which feeds the queue has ended, and counts no workers then', async () => {
  await report.write({ server, workers: 2, atWork: [{ id, worker: 'there:7', step: 3 }] });
  const file = join(folder.path, 'queue.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  const { pid } = spawnSync('true');
  writeFileSync(file, JSON.stringify({ ...state, feeder: { ...state.feeder, pid } }));
  const text = await status();
  expect(text).toContain(`The command that gave runs to the queue ${server} has ended. Its workers may go on`);
  expect(text).not.toContain('2 workers');
  expect(JSON.parse(await status('--json'))).toMatchObject({ queue: { server, workers: null }, atWork: [] });
});

it('reports nothing on a queue whose runs are all done', async () => {
  await report.write({ server, workers: 2, atWork: [] });
  await report.end();
  expect(JSON.parse(await status('--json')).queue).toBe(null);
});
