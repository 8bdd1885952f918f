// What the command line keeps in folders and reads again: finished runs, checkpoints, a study's runs, a probe's states and rows. A
// folder may come from another machine, half copied.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readLines } from '../../src/cli/grade/lines.ts';
import { probeFolder } from '../../src/cli/probe/measure.ts';
import { openRunFolder } from '../../src/cli/run/folder.ts';
import { openRunsFolder, prepareRunsFolder } from '../../src/cli/run/runs-folder.ts';
import { rowMade } from '../../src/experiments/kinds/probe/testing/made.ts';
import type { Checkpoint } from '../../src/experiments/records/checkpoint.ts';
import { runMade } from '../../src/experiments/testing/statistics-runs.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateBytes, mutateJson, textOf } from '../mutate.ts';
import type { Random } from '../random.ts';
import { LAYOUT, ROW, SHA } from './made.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const RUN = runMade({
  overrides: { steps: 1 },
  hack: [0.5],
  change: { id: 'one/none-41', experimentId: 'one', modelSha256: SHA, rows: [ROW] },
});
const vector = () => new Float32Array(LAYOUT.total);
const optimizer = {
  total: vector(),
  hack: vector(),
  moments: { m: vector(), v: vector(), t: 1 },
  hackMoments: null,
  shadows: {},
};
const CHECKPOINT: Checkpoint = {
  schema: 1,
  runId: RUN.id,
  spec: RUN.spec,
  context: 'c',
  step: 1,
  optimizer,
  rows: RUN.rows.slice(0, 1),
  timings: [],
  evals: [],
  history: { p: [0.5] },
};

/** Every file below a folder, by its path. */
function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Writes with the lab's own writer, and finds the one file whose name fits. */
async function written(
  name: string,
  fits: RegExp,
  write: (path: string) => Promise<unknown>,
): Promise<[string, Uint8Array]> {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  await write(path);
  const file = filesBelow(path).find((own) => fits.test(own))!;
  return [file, readFileSync(file)];
}

const open = (path: string) => openRunFolder(path, LAYOUT, SHA);
const made = {
  run: written('run', /\.run\.json$/, (path) => open(path).saveRun(RUN)),
  checkpoint: written('checkpoint', /\.checkpoint$/, (path) => open(path).checkpoints.save(CHECKPOINT)),
  study: written('study', /runs\/[0-9a-f]{16}\.json$/, async (path) => {
    await prepareRunsFolder(path);
    await openRunsFolder(path).save({ key: 'k', record: RUN, rerouted: [] });
  }),
  state: written('state', /vanilla\/state$/, (path) =>
    probeFolder(path).saveState('vanilla', { key: 'k', step: 1, optimizer, steps: [] }),
  ),
  rows: written('rows', /step_001/, (path) => probeFolder(path).saveRows('vanilla', 1, [rowMade()])),
};

/** The file replaced by the input; its siblings (sums, predecessors) stay as they are. */
const replaced = async (file: Promise<[string, Uint8Array]>, input: Uint8Array) =>
  writeFileSync((await file)[0], input);
const changed = async (file: Promise<[string, Uint8Array]>, random: Random) => {
  const [, bytes] = await file;
  const isText = bytes[0] === 0x7b && !random.oneIn(4);
  return isText ? bytesOf(mutateJson(textOf(bytes), random)) : mutateBytes(bytes, random);
};

export const KEPT_READERS: readonly Reader[] = [
  {
    name: 'run-file',
    what: 'a finished run of `run --out`',
    good: made.run.then(([, bytes]) => bytes),
    make: (random) => changed(made.run, random),
    async read(input) {
      await replaced(made.run, input);
      await open(join(folder, 'run')).finishedRun(RUN.id);
    },
  },
  {
    name: 'checkpoint',
    what: 'what a run goes on from',
    good: made.checkpoint.then(([, bytes]) => bytes),
    make: (random) => changed(made.checkpoint, random),
    async read(input) {
      await replaced(made.checkpoint, input);
      await open(join(folder, 'checkpoint')).checkpoints.load(RUN.id);
    },
  },
  {
    name: 'study-run',
    what: 'a finished run of the study',
    good: made.study.then(([, bytes]) => bytes),
    make: (random) => changed(made.study, random),
    async read(input) {
      await replaced(made.study, input);
      await openRunsFolder(join(folder, 'study')).all();
    },
  },
  {
    name: 'probe-state',
    what: 'what a probe goes on from',
    good: made.state.then(([, bytes]) => bytes),
    make: (random) => changed(made.state, random),
    async read(input) {
      await replaced(made.state, input);
      await probeFolder(join(folder, 'state')).loadState('vanilla');
    },
  },
  {
    name: 'probe-rows',
    what: 'the rows of a probe’s step',
    good: made.rows.then(([, bytes]) => bytes),
    async make(random) {
      const [, bytes] = await made.rows;
      if (random.oneIn(3)) return mutateBytes(bytes, random);
      return gzipSync(mutateJson(gunzipSync(bytes).toString('utf8'), random));
    },
    async read(input) {
      await replaced(made.rows, input);
      await probeFolder(join(folder, 'rows')).loadRows('vanilla', 1);
    },
  },
  {
    name: 'completions',
    what: 'JSON lines to grade',
    good: bytesOf('{"problem_id":"p","completion":"c"}'),
    make: (random) => bytesOf(mutateJson('{"problem_id":"p","completion":"c"}', random)),
    async read(input) {
      const path = join(folder, 'lines.jsonl');
      writeFileSync(path, input);
      await readLines(path);
    },
  },
];
