// `study`: makes what a question still lacks, and says what the data show. Stopped at any moment, the same command goes on;
// nothing that is finished is made again.

import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { GRADER_VERSION } from '../../environments/code/grading/pool-grader.ts';
import { jobCost } from '../../experiments/kinds/study/cost.ts';
import type { StudyRun } from '../../experiments/kinds/study/figures.ts';
import { mergeRun, mergeRuns } from '../../experiments/kinds/study/merge.ts';
import {
  planStudy,
  runsOf,
  type StudyJob,
  type StudyPlan,
  type StudyScope,
} from '../../experiments/kinds/study/plan.ts';
import { isDone } from '../../experiments/kinds/study/runner.ts';
import { QUESTION_IDS } from '../../experiments/kinds/study/types.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { whileHeld } from '../../storage/lock.node.ts';
import { integer, integers, list, parseArgs, text, toggle, type Values } from '../args.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { describeMachine } from '../ports.node.ts';
import { duration } from '../progress.ts';
import { againText, heldAgainst } from './again.ts';
import { openStudyFolder, prepareStudyFolder, type StudyFolder } from './folder.ts';
import { openStudyHost } from './host.ts';
import { studyJson, studyText } from './output.ts';
import { publish, published, writeReport } from './publish.ts';
import { childWorker, drainJobs, ownWorker, type StudyWorker, serveJobs } from './workers.ts';

const usage = {
  name: 'study',
  summary: 'Runs the study, or what is missing of some questions, and prints what the data show.',
  positional: [],
  flags: {
    question: list(QUESTION_IDS, 'Only these questions.'),
    seeds: integers('Only these seeds.'),
    steps: integer('A short check: so many steps on few problems. Its figures are not the study’s.', null, 1),
    jobs: integer('Processes that train side by side.', 1, 1, 64),
    ...remakingFlags('What to compute on.'),
    out: text('DIR', 'The study’s folder; `study` in the project where absent.', null),
    json: toggle('Print the results as JSON.'),
    again: toggle(
      'Train published runs once more and say whether they come out the same; in a folder of their own (`study-again`). For runs on the CPU device.',
    ),
    list: toggle('List the runs, which of them are there, and what the rest would take; run nothing.'),
    publish: toggle('Pack the finished runs of the folder into public/results; run nothing.'),
    report: toggle(
      'Write docs/lab-book/projected-grpo.md, the page of findings and what the page opens on from public/results alone; run nothing.',
    ),
    worker: toggle('For the command itself: take runs from the process that started this one.'),
  },
  notes: 'Ctrl-C stops cleanly; the same command goes on. --publish and --report may be given together.',
} as const;
type Options = Values<typeof usage.flags>;

export const study: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    const usual = join(context.root, flags.again ? 'study-again' : 'study');
    const folder = openStudyFolder(flags.out === null ? usual : resolve(flags.out), (line) =>
      context.progress.note(line),
    );
    if (flags.again && flags.steps !== null)
      throw new SpecError('--again is about published runs, which are whole.', 'Leave --steps out.');
    if (flags.publish || flags.report) {
      if (flags.publish) context.out(await publish(await knownRuns(folder, context.root), context.root));
      if (flags.report) context.out(await writeReport(context.root));
      return EXIT.ok;
    }
    if (flags.worker) return work(flags, folder, context);
    const scope = scopeOf(flags);
    const plan = planStudy(scope);
    if (plan.jobs.length === 0)
      throw new SpecError(
        `No run of ${flags.question?.join(', ') ?? 'the study'} has the seeds ${flags.seeds?.join(', ')}.`,
        'Give some of 41 … 50, or --steps for a short check with any seed.',
      );
    if (flags.list) {
      const kept = scope.steps === undefined ? await published(context.root) : new Map<string, StudyRun>();
      context.out(await listed(plan, withPublished(folder, kept)));
      return EXIT.ok;
    }
    const failures = await whileHeld(
      folder.path,
      (line) => context.progress.note(line),
      async () => {
        await prepareStudyFolder(folder.path);
        return make(plan, folder, flags, context);
      },
    );
    const runs: ReadonlyMap<string, StudyRun> = await folder.all();
    if (flags.again) {
      const found = heldAgainst(await published(context.root), runs);
      context.out(flags.json ? JSON.stringify(found) : againText(found));
      return failures === 0 && found.differing.length === 0 ? EXIT.ok : EXIT.failed;
    }
    context.out(
      flags.json
        ? JSON.stringify({ schema: 1, app: APP_VERSION, machine: describeMachine(), ...studyJson(plan, runs) })
        : studyText(plan, runs),
    );
    return failures === 0 ? EXIT.ok : EXIT.failed;
  },
};

function scopeOf({ question, seeds, steps }: Pick<Options, 'question' | 'seeds' | 'steps'>): StudyScope {
  return {
    ...(question ? { questions: question } : {}),
    ...(seeds ? { seeds } : {}),
    ...(steps === null ? {} : { steps }),
  };
}

/** Works off what is missing; the number of jobs that failed. */
async function make(plan: StudyPlan, folder: StudyFolder, flags: Options, context: CommandContext): Promise<number> {
  const { progress, signal, root } = context;
  const adopted = flags.steps === null && !flags.again ? await adopt(plan, folder, root) : 0;
  if (adopted > 0) progress.note(`${adopted} runs are published with the project, and are not made again.`);
  const missing: StudyJob[] = [];
  for (const job of plan.jobs) if (!(await isDone(job, folder))) missing.push(job);
  if (missing.length === 0) return 0;
  const all = runsOf(plan).length;
  const pace = new Pace(missing, new Set(await folder.keys()));
  progress.note(
    `${plan.jobs.length - missing.length} of ${plan.jobs.length} jobs are done (${all} runs in all); ${missing.length} to do.`,
  );
  const workers: StudyWorker[] = [];
  const opened = flags.jobs === 1 ? [openOwn(flags, folder, context)] : openChildren(flags, folder, context);
  try {
    for (const worker of await Promise.all(opened)) workers.push(worker);
    const begun = new Map<StudyJob, number>();
    const failures = await drainJobs(missing, workers, folder, {
      start(job, isTrained) {
        begun.set(job, performance.now());
        const controls = job.shadows.length ? `, ${job.shadows.length} quarantines` : '';
        progress.note(`${job.question}  ${isTrained ? 'routing again' : 'training'}: ${job.run.key}${controls}`);
      },
      progress: ({ what }) => progress.line(`${pace.line()}  ${what}`),
      end(job) {
        const seconds = (performance.now() - (begun.get(job) ?? 0)) / 1000;
        pace.ended(job, seconds / workers.length);
        progress.note(`${pace.line()}  ${duration(seconds)} for ${job.run.spec.steps} steps`);
      },
      failed: ({ job, message }) => {
        pace.ended(job, null);
        progress.note(`Failed: ${job.run.key}: ${message}`);
      },
    });
    return failures.length;
  } catch (error) {
    if (error instanceof StoppedError || signal.aborted) {
      progress.note('Stopped. The same command goes on from here.');
      throw error instanceof StoppedError ? error : new StoppedError();
    }
    throw error;
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** Published runs, and quarantines of them, that the folder has not, into the folder: how many runs. A fresh clone goes on
 *  where the project stands. */
async function adopt(plan: StudyPlan, folder: StudyFolder, root: string): Promise<number> {
  const kept = await published(root);
  let adopted = 0;
  for (const { key } of runsOf(plan)) {
    const run = kept.get(key);
    if (run?.record.graderVersion !== GRADER_VERSION) continue;
    const own = await folder.load(key);
    const merged = own ? mergeRun(own, run) : run;
    if (merged === own) continue;
    await folder.save(merged);
    adopted++;
  }
  return adopted;
}

/** The folder's runs and the published ones of this grader: a clone that made a few of them keeps the others. */
async function knownRuns(folder: StudyFolder, root: string): Promise<Map<string, StudyRun>> {
  const kept = [...(await published(root))].filter(([, { record }]) => record.graderVersion === GRADER_VERSION);
  return mergeRuns(await folder.all(), new Map(kept));
}

async function openOwn({ device, threads }: Options, store: StudyFolder, { root, progress, signal }: CommandContext) {
  return ownWorker(store, await openStudyHost({ root, device, threads, store, progress, signal }));
}

function openChildren({ device, threads, jobs }: Options, folder: StudyFolder, { signal }: CommandContext) {
  // Processes side by side share the cores out among them.
  const each = threads ?? Math.max(1, Math.floor(availableParallelism() / jobs));
  const args = ['study', '--worker', '--device', device, '--threads', String(each), '--out', folder.path];
  return Array.from({ length: jobs }, () => childWorker(args, signal));
}

async function work({ device, threads }: Options, store: StudyFolder, context: CommandContext): Promise<number> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const quiet = { update: () => {} };
  const worker = ownWorker(
    store,
    await openStudyHost({ root: context.root, device, threads, store, progress: quiet, signal }),
  );
  await serveJobs(worker, stop);
  await worker.close();
  return EXIT.ok;
}

/** Jobs done and the time that the rest will take, from what the finished ones took. */
class Pace {
  readonly #cost: Map<StudyJob, number>;
  readonly #jobs: number;
  #left: number;
  #done = 0;
  #measuredCost = 0;
  #measuredSeconds = 0;

  constructor(jobs: readonly StudyJob[], trained: ReadonlySet<string>) {
    const seen = new Set(trained);
    this.#cost = new Map(
      jobs.map((job) => {
        const cost = jobCost(job, seen.has(job.run.key));
        seen.add(job.run.key);
        return [job, cost];
      }),
    );
    this.#jobs = jobs.length;
    this.#left = sum(this.#cost.values());
  }

  /** `seconds` null: it failed, and tells nothing of the pace. */
  ended(job: StudyJob, seconds: number | null): void {
    const cost = this.#cost.get(job) ?? 0;
    this.#done++;
    this.#left -= cost;
    if (seconds === null) return;
    this.#measuredCost += cost;
    this.#measuredSeconds += seconds;
  }

  line(): string {
    const eta =
      this.#measuredCost > 0 ? `  ETA ${duration((this.#measuredSeconds / this.#measuredCost) * this.#left)}` : '';
    return `${this.#done}/${this.#jobs} jobs${eta}`;
  }
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Seconds of a training rollout on the CPU device of a small machine; --list has measured nothing. */
export const SECONDS_PER_ROLLOUT = 0.03;

/** The folder as it will be once the published runs are taken over. */
function withPublished(folder: StudyFolder, kept: ReadonlyMap<string, StudyRun>): Pick<StudyFolder, 'load' | 'keys'> {
  return {
    async load(key) {
      const own = await folder.load(key);
      return own ? mergeRun(own, kept.get(key)) : (kept.get(key) ?? null);
    },
    keys: async () => [...new Set([...(await folder.keys()), ...kept.keys()])],
  };
}

async function listed(plan: StudyPlan, folder: Pick<StudyFolder, 'load' | 'keys'>): Promise<string> {
  const trained = new Set(await folder.keys());
  const lines: string[] = [];
  const totals = new Map<string, { jobs: number; done: number; runs: number; cost: number }>();
  for (const job of plan.jobs) {
    const isOver = await isDone(job, folder);
    const isTrained = trained.has(job.run.key);
    const row = totals.get(job.question) ?? { jobs: 0, done: 0, runs: 0, cost: 0 };
    row.jobs++;
    if (isOver) row.done++;
    else row.cost += jobCost(job, isTrained);
    if (!isTrained) row.runs++;
    trained.add(job.run.key);
    totals.set(job.question, row);
    const controls = job.shadows.length ? ` + ${job.shadows.map(({ id }) => id).join(', ')}` : '';
    lines.push(`${isOver ? 'done' : '    '}  ${job.question.padEnd(4)}${job.run.key}${controls}`);
  }
  const cost = (rollouts: number) => `about ${duration(rollouts * SECONDS_PER_ROLLOUT)} in one process on a small CPU`;
  return [
    ...lines,
    '',
    ...[...totals].map(
      ([id, { jobs, done, runs, cost: rest }]) =>
        `${id.padEnd(4)} ${done}/${jobs} jobs done, ${runs} runs to train, ${cost(rest)}`,
    ),
    `all  ${cost(sum([...totals.values()].map((row) => row.cost)))}`,
  ].join('\n');
}
