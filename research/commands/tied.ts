// `tied`: makes the bases and rows of S13, each base in a process of its own at a time: its pretraining, then its characters. It can be stopped
// at any moment: a pretraining goes on from its last state, and a character whose rows are written is not taught again.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { integer, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { DeviceError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CURVE_ROWS } from '../../src/cli/characters/characters.ts';
import { jsonLines, readRows } from '../../src/cli/files/rows.node.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import { renderTable } from '../../src/cli/table.ts';
import { characterWorld, tiedId } from '../../src/environments/characters/data.ts';
import { trainable } from '../../src/environments/characters/task.ts';
import { targetOf } from '../../src/environments/characters/texts.ts';
import { tiedBases } from '../../src/experiments/characters/tied.ts';
import { gzipText } from '../../src/lib/inflate.ts';
import { answerText } from '../judge/answer-text.ts';
import { command } from '../program.ts';
import { basesTable, CHARACTERS, PHIS, PILOT_SEED, SEEDS, TIED } from '../series/characters/tied.ts';

const usage = {
  name: 'tied',
  summary: 'Makes the bases and rows of S13: tied worlds are pretrained, and A is taught in each.',
  flags: {
    out: text('DIR', 'Folder of the bases, their rows and logs.', 'out/tied'),
    jobs: integer('Bases at a time, each on one core.', 1, 1, 64),
    steps: integer('Steps of pretraining; the environment’s where absent. A judged base has those.', null, 1),
    pilot: toggle('The pilot’s base alone, which no question judges.'),
    plan: toggle('Print the commands and make nothing.'),
    pack: text('FILE', 'Make nothing: write the rows of all bases into one packed file, and print the verdict.', null),
  },
  notes: 'Ctrl-C stops cleanly; the same command goes on.',
} as const;

export interface TiedJob {
  world: string;
  /** Model folder, file of rows, file of what the commands say. */
  model: string;
  rows: string;
  log: string;
  /** Arguments of the lab's command line, one command after the other. */
  commands: readonly (readonly string[])[];
}

/** Judged bases, the seeds in turns so that a stopped plan has all φ; or the pilot's. Each has its first characters. */
export function tiedJobs(folder: string, { pilot, steps }: { pilot: boolean; steps: number | null }): TiedJob[] {
  const worlds = pilot ? [tiedId(PHIS[2], PILOT_SEED)] : SEEDS.flatMap((seed) => PHIS.map((phi) => tiedId(phi, seed)));
  return worlds.map((world) => {
    const [model, rows, log] = [world, `${world}.jsonl`, `${world}.log`].map((name) => join(folder, name));
    const cast = ['--cast', world];
    const one = ['--device', 'cpu', '--threads', '1'];
    const own = characterWorld(world);
    const count = Math.min(CHARACTERS, trainable(own, targetOf(own, 'exam')).length);
    const characters = Array.from({ length: count }, (_, i) => i).join(',');
    return {
      world,
      model,
      rows,
      log,
      commands: [
        [
          ...['pretrain', '--environment', 'characters', ...cast, '--out', model, ...one],
          ...(steps === null ? [] : ['--steps', String(steps)]),
        ],
        ['characters', '--tied', ...cast, '--model', model, '--characters', characters, '--out', rows, ...one],
      ],
    };
  });
}

const isPretrained = ({ model }: TiedJob): boolean => existsSync(join(model, 'manifest.json'));

/** Runs one command of the lab, its words appended to the job's log. Throws DeviceError where it fails. */
async function runLab(root: string, args: readonly string[], log: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const file = await open(log, 'a');
  try {
    await new Promise<void>((done, fail) => {
      const child: ChildProcess = spawn(process.execPath, [join(root, 'scripts', 'lab.mjs'), ...args], {
        cwd: root,
        stdio: ['ignore', file.fd, file.fd],
      });
      const stop = () => child.kill('SIGINT');
      signal.addEventListener('abort', stop, { once: true });
      child.once('error', fail);
      child.once('exit', (code) => {
        signal.removeEventListener('abort', stop);
        if (code === 0) done();
        else if (signal.aborted) fail(signal.reason);
        else fail(new DeviceError(`${args[0]} ended with code ${code}.`, `Read ${log}.`));
      });
    });
  } finally {
    await file.close();
  }
}

export const tied = command(usage, async ({ flags }, { out, progress, signal, root }) => {
  const folder = resolve(root, flags.out);
  const jobs = tiedJobs(folder, flags);
  if (flags.pack !== null) return pack(jobs, flags.pack);
  if (flags.plan) {
    for (const { commands } of jobs) for (const args of commands) out(`npm run lab -- ${args.join(' ')}`);
    return EXIT.ok;
  }
  await mkdir(folder, { recursive: true });
  const waiting = [...jobs];
  let done = 0;
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const [pretrain, teach] = job.commands;
      if (!isPretrained(job)) {
        progress.note(`${job.world}: pretraining`);
        await runLab(root, pretrain, job.log, signal);
      }
      progress.note(`${job.world}: teaching`);
      await runLab(root, teach, job.log, signal);
      done++;
      progress.note(`${job.world}: done, ${done} of ${jobs.length}`);
    }
  };
  // One that fails leaves the others to end what they have begun.
  const ended = await Promise.allSettled(Array.from({ length: Math.min(flags.jobs, jobs.length) }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  const all = await Promise.all(jobs.map(({ rows }) => readRows(rows, CURVE_ROWS, progress.note)));
  for (const line of answerText(TIED, all.flat())) out(line);
  if (flags.pilot) {
    const { head, rows } = basesTable(tiedBases(all.flat()));
    out(renderTable(head, rows));
  }
  return EXIT.ok;

  async function pack(from: readonly TiedJob[], path: string) {
    const missing = from.filter(({ rows }) => !existsSync(rows)).map(({ world }) => world);
    if (missing.length > 0)
      throw new SpecError(`There are no rows of ${missing.join(', ')}.`, `Make them: tied --out ${flags.out}.`);
    const rows = (await Promise.all(from.map((job) => readRows(job.rows, CURVE_ROWS, progress.note)))).flat();
    await writeWhole(resolve(root, path), gzipText(jsonLines(rows)));
    out(`${path}: ${rows.length} rows`);
    for (const line of answerText(TIED, rows)) out(line);
    return EXIT.ok;
  }
});
