// `tables`: a run's or a sweep's steps for other tools: CSV, Parquet, TensorBoard event files; or a run's rollouts as
// logs of Inspect or as verifiers saves them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { diskError, makeFolder, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { LOG_FILES } from '../../experiments/analysis/inspect-file.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { run as runSchema } from '../../experiments/records/run-schema.ts';
import { integer, oneOf, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { stepsCsv, stepsParquet, type TableRun } from '../files/steps.ts';
import { collectRuns, tableRuns } from '../sweep/collect.ts';
import { SweepFolder } from '../sweep/folder.ts';
import { writeInspectLogs } from './inspect.ts';
import { writeLogRollouts } from './opened-log.ts';
import { EVENTS_FILE, tensorboardOf } from './tensorboard.ts';
import { writeTraces } from './verifiers.ts';

const usage = {
  name: 'tables',
  summary:
    'Writes the steps of a run or a sweep as steps.csv, steps.parquet and TensorBoard event files, or a run’s rollouts for Inspect or verifiers.',
  positional: ['RESULT'],
  flags: {
    out: text('DIR', 'Where they are written.', null),
    format: oneOf(
      ['steps', 'inspect', 'verifiers'],
      'Tables of steps; or the rollouts of each run as a log of Inspect, or as verifiers’ traces.jsonl.',
      'steps',
    ),
    file: oneOf(LOG_FILES, 'With inspect: a zip with a file a sample, or one JSON text.', null),
    step: integer('With inspect and verifiers: rollouts of this step alone.', null, 1),
    every: integer('With inspect and verifiers: rollouts of every N-th step.', null, 1),
    logprobs: toggle('With inspect: each token with its log-probability, most of a log’s bytes.'),
    model: text(
      'DIR',
      'With inspect and verifiers: the model’s folder, for its tokens, where it is no embedded one.',
      null,
    ),
    json: toggle('With inspect and verifiers: print the logs’ names and sizes as JSON.'),
  },
  notes: [
    'RESULT is a file that `run --json` wrote, or a sweep’s folder. examples/load-runs.py reads the tables with pandas; `tensorboard --logdir DIR/tensorboard` shows the events.',
    'With --format inspect and verifiers, RESULT is a folder of `run --out`; `inspect view --log-dir DIR` shows the logs. The same run gives the same bytes. With inspect, RESULT may be a log itself (.eval, .json): its samples are written as rollouts.jsonl.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

/** Throws SpecError. */
async function runsOf(path: string): Promise<TableRun[]> {
  const found = await stat(path).catch(() => null);
  if (!found)
    throw new SpecError(
      `${path}: there is no such file or folder.`,
      'Name what `run --json` wrote, or a sweep’s folder.',
    );
  if (found.isDirectory()) {
    if ((await readdir(path)).some((name) => name.endsWith('.run.json')))
      throw new SpecError(
        `${path} is a folder of \`run --out\`, and tables of steps are made of what \`run --json\` wrote.`,
        'Give the run again with --json FILE: it is finished, so nothing is trained. For its rollouts add --format inspect or verifiers.',
      );
    const folder = await SweepFolder.open(path);
    return tableRuns(folder.plan, await collectRuns(folder));
  }
  const bytes = await readFile(path, 'utf8').catch((error: unknown) => {
    throw diskError(error, path);
  });
  const none = (why: string) =>
    new SpecError(`${path} is no result of a run: ${why}.`, 'Name what `run --json FILE` wrote.');
  let value: unknown;
  try {
    value = parseJsonText(bytes);
  } catch (error) {
    throw none((error as Error).message);
  }
  const { runs } = (value ?? {}) as { runs?: unknown };
  if (!Array.isArray(runs) || runs.length === 0) throw none('it has no runs');
  const names = new Set<string>();
  return runs.map((run) => {
    if (!runSchema.safeParse(run).success) throw none('a run of it cannot be read');
    const record = run as RunRecord;
    const own = `${record.spec.arm}/${record.spec.seed}`;
    if (names.has(own)) throw none(`it has two runs ${own}`);
    names.add(own);
    return { name: own, options: { arm: record.spec.arm }, record };
  });
}

/** A folder of the run's own: a name that had to be changed or cut ends in its hash. */
async function folderOf(name: string): Promise<string> {
  const plain = name.replaceAll(/[^\w.,=+-]+/g, '_').slice(0, 120);
  return plain === name ? name : `${plain}-${(await contentKey(name)).slice(0, 16)}`;
}

async function rolloutLogs(folder: string, flags: Options, context: CommandContext): Promise<number> {
  if (flags.out === null) throw new SpecError('tables needs a folder to write to.', 'Add --out DIR.');
  const { out: to, file, step, every, logprobs, model, format } = flags;
  const isInspect = format === 'inspect';
  if (!isInspect && (file !== null || logprobs))
    throw new SpecError('--file and --logprobs: of --format inspect alone.', 'Leave them out.');
  const found = await stat(folder).catch(() => null);
  if (found?.isFile() && isInspect) {
    checkFlags({ ...flags, json: false }, 'a folder of `run --out`');
    const written = await writeLogRollouts(folder, to);
    for (const note of written.log.notes) context.progress.note(note);
    context.out(flags.json ? JSON.stringify(written) : `${written.file}: ${written.log.samples} samples`);
    return EXIT.ok;
  }
  if (!found?.isDirectory())
    throw new SpecError(`${folder}: there is no such file or folder.`, 'Name a folder of `run --out`, or a log.');
  const common = { out: to, step, every, model };
  const { logs } = isInspect
    ? await writeInspectLogs(folder, { ...common, file: file ?? 'eval', logprobs }, context)
    : await writeTraces(folder, common, context);
  if (flags.json) context.out(JSON.stringify({ logs }));
  else for (const { file: name, samples } of logs) context.out(`${join(to, name)}: ${samples} samples`);
  return EXIT.ok;
}

/** Throws SpecError for flags that belong to something else. */
function checkFlags(flags: Options, to = '--format inspect or verifiers'): void {
  const given = (['file', 'step', 'every', 'model'] as const).filter((name) => flags[name] !== null);
  const switches = (['logprobs', 'json'] as const).filter((name) => flags[name]);
  const all = [...given, ...switches].map((name) => `--${name}`);
  if (all.length > 0) throw new SpecError(`${all.join(', ')}: of ${to} alone.`, 'Add it, or leave them out.');
}

export const tables = command(usage, async ({ flags, positional }, context) => {
  if (flags.format !== 'steps') return rolloutLogs(positional[0], flags, context);
  checkFlags(flags);
  const { out } = context;
  const runs = await runsOf(positional[0]);
  if (flags.out === null) throw new SpecError('tables needs a folder to write to.', 'Add --out DIR.');
  await makeFolder(flags.out);
  await writeWhole(join(flags.out, 'steps.csv'), stepsCsv(runs));
  await writeWhole(join(flags.out, 'steps.parquet'), stepsParquet(runs));
  const written = new Set<string>();
  for (const { name, record } of runs) {
    const folder = join(flags.out, 'tensorboard', await folderOf(name));
    await makeFolder(folder);
    await writeWhole(join(folder, EVENTS_FILE), tensorboardOf(record));
    written.add(folder);
  }
  out(`${written.size} runs: ${flags.out}/steps.csv, steps.parquet, tensorboard/ (${basename(EVENTS_FILE)} a run)`);
  return EXIT.ok;
});
