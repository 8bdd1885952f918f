// `study`: answers the study's questions from the published runs and from folders of sweeps; writes the sweeps that train their runs;
// publishes and reports. It trains nothing itself.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { integer, integers, list, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { makeFolder, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { describeMachine } from '../../src/cli/ports.node.ts';
import { openRunsFolder } from '../../src/cli/run/runs-folder.ts';
import { GRADER_VERSION } from '../../src/environments/code/grading/pool-grader.ts';
import { isComplete } from '../../src/experiments/analysis/compare.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { planSweep, sizeOf } from '../../src/experiments/sweep/plan.ts';
import { type Axis, type SweepSpec, valueText } from '../../src/experiments/sweep/spec.ts';
import { APP_VERSION } from '../../src/lab/protocol/version.ts';
import { readStudyRuns } from '../judge/runs.node.ts';
import { command } from '../program.ts';
import { compareWithPublished, repeatText } from '../series/study/again.ts';
import { mergeRuns } from '../series/study/merge.ts';
import { studyJson, studyText } from '../series/study/output.ts';
import { planStudy, runsOf, type StudyPlan } from '../series/study/plan.ts';
import { publish, published } from '../series/study/publish.ts';
import { sweepsOfStudy } from '../series/study/sweeps.ts';
import { QUESTION_IDS } from '../series/study/types.ts';

const usage = {
  name: 'study',
  summary: 'Says what the data show of the study’s questions, and writes the sweeps that train their runs.',
  positional: ['[DIR|FILE…]'],
  flags: {
    question: list(QUESTION_IDS, 'Only these questions.'),
    seeds: integers('Only these seeds.'),
    steps: integer('A short check: so many steps on few problems. Its figures are not the study’s.', null, 1),
    sweeps: text('DIR', 'Write sweep files of the questions’ runs into this folder, for `sweep run`.', null),
    missing: toggle('With --sweeps: leave out runs that are published, or in the folders and files.'),
    json: toggle('Print the results as JSON.'),
    again: toggle('Say whether the runs in the folders and files are what is published, to the last digit.'),
    publish: toggle(
      'Pack the published runs and those of the folders and files into public/results; `publish` then judges them.',
    ),
  },
  notes: 'What is read beside the published runs: folders of sweeps, and files that `run --json` writes.',
} as const;

export const study = command(usage, async ({ flags, positional }, { out, root }) => {
  if (flags.missing && flags.sweeps === null)
    throw new SpecError('--missing is about the sweeps that --sweeps writes.', 'Add --sweeps DIR.');
  if (flags.again && positional.length === 0)
    throw new SpecError('--again compares runs with the published ones.', 'Name a sweep’s folder.');
  const { question, seeds, steps } = flags;
  const plan = planStudy({
    ...(question ? { questions: question } : {}),
    ...(seeds ? { seeds } : {}),
    ...(steps === null ? {} : { steps }),
  });
  if (plan.jobs.length === 0)
    throw new SpecError(
      `No run of ${question?.join(', ') ?? 'the study'} has the seeds ${seeds?.join(', ')}.`,
      'Give some of 41 … 50, or --steps for a short check with any seed.',
    );
  const own = await runsIn(positional);
  if (flags.publish) {
    out(await publish(mergeRuns(own, await publishedNow(root)), root));
    return EXIT.ok;
  }
  if (flags.again) {
    const found = compareWithPublished(await published(root), own);
    out(flags.json ? JSON.stringify(found) : repeatText(found));
    return found.differing.length === 0 ? EXIT.ok : EXIT.failed;
  }
  const runs = mergeRuns(own, await publishedNow(root));
  if (flags.sweeps !== null) {
    out(await writeSweeps(plan, flags.sweeps, new Set(flags.missing ? runs.keys() : [])));
    return EXIT.ok;
  }
  out(
    flags.json
      ? JSON.stringify({ schema: 1, app: APP_VERSION, machine: describeMachine(), ...studyJson(plan, runs) })
      : studyText(plan, runs),
  );
  return EXIT.ok;
});

/** Published runs graded by the current grader version. */
const publishedNow = async (root: string): Promise<Map<string, FinishedRun>> =>
  new Map([...(await published(root))].filter(([, { record }]) => record.graderVersion === GRADER_VERSION));

/** Reads folders of sweeps, folders of studies of earlier versions, and files of runs. Throws SpecError for a path without any. */
async function runsIn(paths: readonly string[]): Promise<Map<string, FinishedRun>> {
  const found = new Map<string, FinishedRun>();
  for (const path of paths) {
    const isFile = (await stat(path).catch(() => null))?.isFile() ?? false;
    const runs = isFile ? await readStudyRuns(path) : [...(await openRunsFolder(path).all()).values()];
    if (runs.length === 0) throw new SpecError(`${path} has no finished run.`, 'Name the folder of a sweep (--out).');
    for (const run of runs) if (isComplete(run.record)) found.set(run.key, run);
  }
  return found;
}

/** Lists the written files, and the runs that no sweep can train. */
async function writeSweeps(plan: StudyPlan, folder: string, done: ReadonlySet<string>): Promise<string> {
  const { sweeps, apart } = sweepsOfStudy(plan, done);
  if (sweeps.length + apart.length === 0) return `Nothing is missing: all ${runsOf(plan).length} runs are there.`;
  await makeFolder(folder);
  const lines: string[] = [];
  for (const [i, sweep] of sweeps.entries()) {
    const path = join(folder, `${i + 1}.sweep.json`);
    await writeWhole(path, `${JSON.stringify(sweep, null, 2)}\n`);
    lines.push(`${path}: ${sizeOf(planSweep(sweep)).runs} runs, ${sweepText(sweep)}`);
  }
  const more = apart.length > 0 ? apartText(apart) : [];
  return [...lines, 'Train each: npm run lab -- sweep run FILE --out DIR', ...more].join('\n');
}

/** Describes a sweep, for example `classic, arm erase, refreshEvery 10 / 5, seeds 41, 42`. */
function sweepText({ preset, arm, overrides, axes, seeds }: SweepSpec): string {
  const valuesOf = (axis: Axis) => ('values' in axis ? axis.values.map(valueText).join(' / ') : '');
  return [
    preset,
    ...(arm === undefined ? [] : [`arm ${arm}`]),
    ...Object.entries(overrides).map(([name, value]) => `${name} ${valueText(value)}`),
    ...axes.map((axis) => `${axis.option} ${valuesOf(axis)}`),
    `seeds ${seeds.join(', ')}`,
  ].join(', ');
}

const apartText = (keys: readonly string[]): string[] => [
  `No sweep trains these ${keys.length} runs, which need the steps of a vanilla run of their seed. Train both as one experiment, with --json > FILE: npm run lab -- run --preset classic --arms route-update,random_V_matched,random_V_matched-route --seeds …`,
  ...keys.map((key) => `  ${key}`),
];
