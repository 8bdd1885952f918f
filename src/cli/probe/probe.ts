// `probe`: replays a hacky teacher's pool through the model and asks whether the hack basis sees hacking, before any RL is paid
// for. Stopped by Ctrl-C, the same command goes on with the next step to the same bytes. With --seeds it is done once a seed.

import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Settings } from '../../experiments/config/spec.ts';
import { markdownTable } from '../../experiments/judge/table.ts';
import { PROBE_INDEX, type ProbeSeries, readSeries, seriesOf } from '../../experiments/kinds/probe/series.ts';
import { seriesOrigin, seriesRows } from '../../experiments/kinds/probe/series-words.ts';
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES, probeSpec } from '../../experiments/kinds/probe/spec.ts';
import type { ProbeReport, Trajectory } from '../../experiments/kinds/probe/types.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { integer, integers, number, parseArgs, settings, text, toggle, type Values } from '../args.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { refuseFile, writeNew } from '../files/new-file.node.ts';
import { CACHE_FLAG } from '../model/folder.ts';
import { STORAGE_FLAG, STORAGE_NOTES } from '../model/storage-choice.ts';
import { describeMachine } from '../ports.node.ts';
import { hashOf, overridesOf } from '../run/flags.ts';
import { embeddedStorage, modelIdOf, theOnlyModel } from '../run/model.ts';
import { type MeasuredProbe, measureProbe } from './measure.ts';
import { renderProbe, renderTraining } from './table.ts';

const usage = {
  name: 'probe',
  summary: 'The cosine probe: does the hack basis see hacking, before any RL is run?',
  positional: [],
  flags: {
    model: text('DIR', 'A model of your own, a folder in Hugging Face’s layout, in place of the embedded one.', null),
    storage: STORAGE_FLAG,
    cache: CACHE_FLAG,
    pool: text(
      'onnx|templates|FILE|base|DIR',
      'Who wrote it: the embedded teacher (ONNX), the templates, a pool’s file, the model as it is, or a kept run.',
      'onnx',
    ),
    run: text('ARM-SEED', 'Which run of DIR, where there are several.', null),
    basis: text('FILE', 'A hack basis (safetensors) instead of one from the pairs.', null),
    problems: integer('Problems to replay, a step each.', PROBE_PROBLEMS, 1),
    steps: integer('The same as --problems.', null, 1),
    samples: integer('Samples of each problem (G).', PROBE_SAMPLES, 1),
    correct: integer('Of the templates’ samples, how many have the right body beside the exploit.', CORRECT_ROWS),
    seed: integer('Of a model’s sampling, the random axes, the permutations and the trainings.', 41),
    seeds: integers('Do it again under each of these seeds, and tell mean ± sd; --out then has a folder for each.'),
    set: settings('Any setting of a run (adapter, gate, pairs, lr …); `run --settings` lists them.'),
    lora: toggle('Replay the pool with the LoRA adapter too, and set its T4 beside (T6).'),
    'lora-lr': number(
      'LoRA’s learning rate: it has far more adapter parameters, and diverges at the others’.',
      0.003,
      1e-6,
      1,
    ),
    trajectory: integer('Train vanilla and erase for so many steps (T5; 15 or more to decide).', 0),
    ratio: number('Share of a training group that the teacher writes.', 0.5, 0, 0.9),
    'per-module': toggle('Rows tell the cosine of every module.'),
    out: text('DIR', 'Keep step_NNN.jsonl.gz files, pool, trainings and report there.', null),
    keep: text('FILE', 'With --seeds: write verdicts and trajectories in a form that can be published.', null),
    report: text(
      'DIR',
      'Measure nothing: print the tables of published probes, as docs/lab-book/probe.md has them.',
      null,
    ),
    fresh: toggle('Begin anew; what the lab kept in the folder is moved aside, into a folder aside-N there.'),
    yes: toggle('With --fresh: do not ask. Without a terminal nobody is asked.'),
    json: toggle('Print the report as JSON.'),
    ...remakingFlags('What to compute on.'),
  },
  notes: [
    'The trainings of T5 have two inner epochs unless --set innerEpochs=1 says otherwise: with one, every policy ratio is 1.',
    STORAGE_NOTES,
    'Without --out, what is needed to go on after Ctrl-C is kept in .cache/probe until the probe is done.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

export const probe: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    if (flags.report !== null) {
      const published = await readPublished(flags.report);
      context.out(flags.json ? JSON.stringify(published) : published.map(renderSeries).join('\n\n'));
      return EXIT.ok;
    }
    if (flags.pool === 'templates' && flags.correct > flags.samples)
      throw new SpecError(`--correct ${flags.correct} of --samples ${flags.samples}.`, 'Lower it.');
    if (flags.keep !== null && flags.seeds === null)
      throw new SpecError('--keep writes what --seeds measured.', 'Name the seeds, or leave it away.');
    if (flags.model === null && flags.storage !== 'auto') throw embeddedStorage(flags.storage);
    const about = { app: APP_VERSION, machine: describeMachine() };
    if (flags.seeds === null) {
      const { report, model, modelSha256 } = await measureSeed(flags, flags.seed, flags.out, context);
      context.out(flags.json ? JSON.stringify({ ...about, model, modelSha256, ...report }) : renderAll(report));
      return EXIT.ok;
    }
    if (flags.keep !== null)
      await refuseFile(flags.keep, '--keep', (found) => isSeriesOf(commandOf(argv), found.toString('utf8')));
    const seeds = [...new Set(flags.seeds)];
    const measured: MeasuredProbe[] = [];
    for (const seed of seeds) {
      context.progress.note(`Seed ${seed}, ${measured.length + 1} of ${seeds.length}.`);
      const out = flags.out === null ? null : join(flags.out, `seed-${seed}`);
      measured.push(await measureSeed(flags, seed, out, context));
    }
    const [{ device, modelSha256 }] = measured;
    const series = seriesOf(
      { command: commandOf(argv), app: APP_VERSION, device, modelSha256 },
      measured.map(({ report }, i) => [seeds[i], report]),
    );
    context.out(flags.json ? JSON.stringify({ ...about, ...series }) : renderSeries(series));
    // After the tables: where the file says something else, what was measured is at least seen.
    if (flags.keep !== null) await writeNew(flags.keep, '--keep', `${JSON.stringify(series)}\n`);
    return EXIT.ok;
  },
};

/** What is published with the figures: the command without the places that it wrote to. */
function commandOf(argv: readonly string[]): string {
  const left = argv.filter((word, i) => {
    const places = ['--out', '--keep', '--cache'];
    return !places.includes(word) && !places.includes(argv[i - 1] ?? '') && !/^--(out|keep|cache)=/.test(word);
  });
  return ['npm run lab -- probe', ...left.filter((word) => !['--json', '--fresh', '--yes'].includes(word))].join(' ');
}

/** Whether the text of a file is what the same command has kept. */
function isSeriesOf(command: string, text: string): boolean {
  try {
    return readSeries(text, '--keep').command === command;
  } catch {
    return false;
  }
}

async function measureSeed(
  flags: Options,
  seed: number,
  out: string | null,
  context: CommandContext,
): Promise<MeasuredProbe> {
  const basisFile = flags.basis === null ? null : await hashOf(flags.basis);
  const overrides = {
    ...overridesOf(flags.set),
    ...(flags.model === null
      ? {}
      : { model: theOnlyModel(await modelIdOf(flags.model, context.root), flags.set.model) }),
    ...(basisFile === null ? {} : { basisSource: 'file', basisFile }),
  } as Partial<Settings>;
  const partOf = (own: Partial<Settings>) => ({
    spec: probeSpec({
      problems: flags.steps ?? flags.problems,
      perProblem: flags.samples,
      seed,
      perModule: flags['per-module'],
      overrides: own,
    }),
    overrides: own,
  });
  const first = partOf(overrides);
  const second =
    flags.lora && first.spec.vanilla.adapter === 'svd'
      ? partOf({ ...overrides, adapter: 'lora', lr: flags['lora-lr'] })
      : null;
  if (flags.lora && (!second || basisFile !== null))
    throw new SpecError(
      '--lora sets LoRA beside the SVD adapter, each with the basis of its own pairs.',
      'Leave --basis and --set adapter=… away, or --lora.',
    );
  return measureProbe(first, second, { ...flags, seed, out }, context);
}

function renderAll(report: ProbeReport): string {
  const { lora: other, trajectories } = report;
  const training = (of: Trajectory | null | undefined) => (of ? [renderTraining(of)] : []);
  return [
    renderProbe(report),
    ...training(trajectories?.svd),
    ...(other ? ['With LoRA', renderProbe(other), ...training(trajectories?.lora)] : []),
  ].join('\n\n');
}

// Published probes as the tables of docs/lab-book/probe.md: each check's verdicts over the seeds, and its figures as mean ± sd.

/** Of all `.json` files of a folder but its index, by name. Throws SpecError where there are none, FormatError for another kind of file. */
export async function readPublished(folder: string): Promise<ProbeSeries[]> {
  const path = resolve(folder);
  const names = await readdir(path).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.json') && name !== PROBE_INDEX).sort();
  if (files.length === 0)
    throw new SpecError(`--report ${folder}: no published probe lies there.`, 'Write one with --seeds and --keep.');
  return Promise.all(files.map(async (name) => readSeries(await readFile(join(path, name), 'utf8'), name)));
}

/** Markdown. */
export function renderSeries(series: ProbeSeries): string {
  const rows = seriesRows(series);
  const hasLora = rows.some(({ lora }) => lora !== null);
  const head = ['check', 'the SVD adapter', ...(hasLora ? ['LoRA'] : [])];
  return [
    `**${series.source}**: ${seriesOrigin(series)}`,
    '',
    '```sh',
    series.command,
    '```',
    '',
    ...markdownTable({
      head,
      rows: rows.map(({ id, title, svd, lora }) => [`${id} ${title}`, svd, ...(lora === null ? [] : [lora])]),
    }),
  ].join('\n');
}
