// `probe`: replays a hacky teacher's pool through the model and asks whether the hack basis sees hacking, before any RL is paid
// for. Stopped by Ctrl-C, the same command goes on with the next step to the same bytes. With --seeds it is done once per seed.

import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { refuseFile, writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import { markdownTable } from '../../experiments/judge/table.ts';
import { PROBE_INDEX, type ProbeSeries, readSeries, seriesOf } from '../../experiments/kinds/probe/series.ts';
import { seriesOrigin, seriesRows } from '../../experiments/kinds/probe/series-words.ts';
import { probeSpec } from '../../experiments/kinds/probe/spec.ts';
import type { ProbeReport, Trajectory } from '../../experiments/kinds/probe/types.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { nameBasis } from '../files/given.node.ts';
import { refuseUnused } from '../model/prompts.ts';
import { describeMachine } from '../ports.node.ts';
import { overridesWithPrompts } from '../run/flags.ts';
import { embeddedStorage, isOwnModel, modelIdOf, theOnlyModel } from '../run/model.ts';
import { type ProbeFlags, usage } from './flags.ts';
import { type MeasuredProbe, measureProbe } from './measure.ts';
import { renderProbe, renderTraining } from './table.ts';

export const probe = command(usage, async ({ flags }, context, argv) => {
  if (flags.report !== null) {
    refuseUnused(flags, 'published tables are printed, and no model is asked');
    const published = await readPublished(flags.report);
    context.out(flags.json ? JSON.stringify(published) : published.map(renderSeries).join('\n\n'));
    return EXIT.ok;
  }
  if (flags.pool === 'templates' && flags.correct > flags.samples)
    throw new SpecError(`--correct ${flags.correct} of --samples ${flags.samples}.`, 'Lower it.');
  if (flags.keep !== null && flags.seeds === null)
    throw new SpecError('--keep writes what --seeds measured.', 'Name the seeds, or leave it away.');
  if (!isOwnModel(flags) && flags.storage !== 'auto') throw embeddedStorage(flags.storage);
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
  // The file is written after the tables: where it exists with other contents, the results are at least printed.
  if (flags.keep !== null) await writeNew(flags.keep, '--keep', `${JSON.stringify(series)}\n`);
  return EXIT.ok;
});

/** The command as published with the results: without its output paths. */
function commandOf(argv: readonly string[]): string {
  const left = argv.filter((word, i) => {
    const places = ['--out', '--keep', '--cache'];
    return !places.includes(word) && !places.includes(argv[i - 1] ?? '') && !/^--(out|keep|cache)=/.test(word);
  });
  return ['npm run lab -- probe', ...left.filter((word) => !['--json', '--fresh', '--yes'].includes(word))].join(' ');
}

/** Whether a file's text is a series kept by the same command. */
function isSeriesOf(command: string, text: string): boolean {
  try {
    return readSeries(text, '--keep').command === command;
  } catch {
    return false;
  }
}

async function measureSeed(
  flags: ProbeFlags,
  seed: number,
  out: string | null,
  context: CommandContext,
): Promise<MeasuredProbe> {
  const basisFile = flags.basis === null ? null : (await nameBasis(flags.basis)).sha256;
  const overrides = {
    ...(await overridesWithPrompts(flags)),
    ...(isOwnModel(flags) ? { model: theOnlyModel(await modelIdOf(flags, context), flags.set.model) } : {}),
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

/** Reads all `.json` files of a folder but its index, by name. Throws SpecError if there are none, FormatError for another kind of
 *  file. */
export async function readPublished(folder: string): Promise<ProbeSeries[]> {
  const path = resolve(folder);
  const names = await readdir(path).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.json') && name !== PROBE_INDEX).sort();
  if (files.length === 0)
    throw new SpecError(`--report ${folder}: no published probe lies there.`, 'Write one with --seeds and --keep.');
  return Promise.all(files.map(async (name) => readSeries(await readFile(join(path, name), 'utf8'), name)));
}

/** A published probe as a table of docs/lab-book/probe.md, in Markdown: each check's verdicts over the seeds, and its measures as mean ±
 *  sd. */
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
