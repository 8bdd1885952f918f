// `study`: makes what a question still lacks, and says what the data show. Stopped at any moment, the same command goes on;
// nothing that is finished is made again. Given several times on one folder, also by other machines, it shares the runs out.

import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import {
  planStudy,
  runsOf,
  type StudyJob,
  type StudyPlan,
  type StudyScope,
} from '../../../research/series/study/plan.ts';
import { QUESTION_IDS } from '../../../research/series/study/types.ts';
import { GRADER_VERSION } from '../../environments/code/grading/pool-grader.ts';
import { jobCost } from '../../experiments/runs/cost.ts';
import type { FinishedRun } from '../../experiments/runs/finished.ts';
import { mergeRun, mergeRuns } from '../../experiments/runs/merge.ts';
import { isDone, runJob } from '../../experiments/runs/runner.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import type { Rpc } from '../../lib/rpc.ts';
import { sum } from '../../stats/index.ts';
import { folderClaims } from '../../storage/claims/folder.node.ts';
import { clearParts, makeFolder } from '../../storage/disk.node.ts';
import { integer, integers, list, text, toggle, type Values } from '../args.ts';
import { LOOK_MS, serveWork, workInChildren } from '../claimed.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { describeMachine } from '../ports.node.ts';
import { duration, type Progress } from '../progress.ts';
import { againText, heldAgainst } from './again.ts';
import { openStudyFolder, prepareStudyFolder, type StudyFolder } from './folder.ts';
import { openStudyHost } from './host.ts';
import { studyJson, studyText } from './output.ts';
import { publish, published, writeReport } from './publish.ts';
import { drainStudy, type StudyEvents, type StudyWork } from './workers.ts';

const usage = {
  name: 'study',
  summary: 'Runs the study, or what is missing of some questions, and prints what the data show.',
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
    worker: toggle('For the command itself: works for the process that started this one.'),
  },
  notes:
    'Ctrl-C stops cleanly; the same command goes on. Several of them on one folder, also of several machines that see it, share its runs. --publish and --report may be given together.',
} as const;
type Options = Values<typeof usage.flags>;

export const study = command(usage, async ({ flags }, context) => {
  const defaultFolder = join(context.root, flags.again ? 'study-again' : 'study');
  const folder = openStudyFolder(flags.out === null ? defaultFolder : resolve(flags.out), context.progress.note);
  if (flags.again && flags.steps !== null)
    throw new SpecError('--again is about published runs, which are whole.', 'Leave --steps out.');
  if (flags.publish || flags.report) {
    if (flags.publish) context.out(await publish(await knownRuns(folder, context.root), context.root));
    if (flags.report) context.out(await writeReport(context.root));
    return EXIT.ok;
  }
  const scope = scopeOf(flags);
  const plan = planStudy(scope);
  if (flags.worker) return work(plan, flags, folder, context);
  if (plan.jobs.length === 0)
    throw new SpecError(
      `No run of ${flags.question?.join(', ') ?? 'the study'} has the seeds ${flags.seeds?.join(', ')}.`,
      'Give some of 41 … 50, or --steps for a short check with any seed.',
    );
  if (flags.list) {
    const kept = scope.steps === undefined ? await published(context.root) : new Map<string, FinishedRun>();
    context.out(await listed(plan, withPublished(folder, kept)));
    return EXIT.ok;
  }
  const failures = await make(plan, folder, flags, context);
  const runs: ReadonlyMap<string, FinishedRun> = await folder.all();
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
});

function scopeOf({ question, seeds, steps }: Pick<Options, 'question' | 'seeds' | 'steps'>): StudyScope {
  return {
    ...(question ? { questions: question } : {}),
    ...(seeds ? { seeds } : {}),
    ...(steps === null ? {} : { steps }),
  };
}

/** Works off what is missing, with whoever else is at it; the number of jobs that failed here. */
async function make(plan: StudyPlan, folder: StudyFolder, flags: Options, context: CommandContext): Promise<number> {
  const { progress, signal, root } = context;
  const missing = await prepared(folder, signal, async () => {
    const adopted = flags.steps === null && !flags.again ? await adopt(plan, folder, root) : 0;
    if (adopted > 0) progress.note(`${adopted} runs are published with the project, and are not made again.`);
    const missing: StudyJob[] = [];
    for (const job of plan.jobs) if (!(await isDone(job, folder))) missing.push(job);
    return missing;
  });
  if (missing.length === 0) return 0;
  const all = runsOf(plan).length;
  const pace = new Pace(missing, new Set(await folder.keys()));
  progress.note(
    `${plan.jobs.length - missing.length} of ${plan.jobs.length} jobs are done (${all} runs in all); ${missing.length} to do.`,
  );
  const begun = new Map<StudyJob, number>();
  const failed = new Set<StudyJob>();
  const on: StudyEvents = {
    start(job, isTrained) {
      begun.set(job, performance.now());
      const controls = job.shadows.length ? `, ${job.shadows.length} quarantines` : '';
      progress.note(`${job.question}  ${isTrained ? 'routing again' : 'training'}: ${job.run.key}${controls}`);
    },
    progress: (_, what) => progress.line(`${pace.line()}  ${what}`),
    end(job) {
      const seconds = (performance.now() - (begun.get(job) ?? 0)) / 1000;
      pace.ended(job, seconds / flags.jobs);
      progress.note(`${pace.line()}  ${duration(seconds)} for ${job.run.spec.steps} steps`);
    },
    failed(job, message) {
      failed.add(job);
      pace.ended(job, null);
      progress.note(`Failed: ${job.run.key}: ${message}`);
    },
  };
  try {
    if (flags.jobs === 1) await alone(missing, flags, folder, { root, signal, failed, on, progress });
    else await inChildren(plan, missing, flags, folder, { signal, failed, on, progress });
    return failed.size;
  } catch (error) {
    if (error instanceof StoppedError || signal.aborted) {
      progress.note('Stopped. The same command goes on from here.');
      throw error instanceof StoppedError ? error : new StoppedError();
    }
    throw error;
  }
}

const claimsOf = (folder: StudyFolder) => folderClaims(join(folder.path, 'claims'));

/** One process at a time gets the folder ready. */
async function prepared<T>(folder: StudyFolder, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  // A folder that cannot be made is named as it was given.
  await makeFolder(folder.path);
  const claims = claimsOf(folder);
  let claim = await claims.claim('prepare');
  for (; !claim; claim = await claims.claim('prepare')) {
    if (signal.aborted) throw new StoppedError();
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  try {
    await prepareStudyFolder(folder.path);
    return await work();
  } finally {
    await claim.release();
  }
}

type Working = Pick<StudyWork, 'signal' | 'failed' | 'on'>;

async function alone(
  jobs: readonly StudyJob[],
  { device, threads }: Pick<Options, 'device' | 'threads'>,
  store: StudyFolder,
  { root, progress, ...working }: Working & { root: string; progress: Pick<Progress, 'update'> },
): Promise<void> {
  const { signal } = working;
  const host = await openStudyHost({ root, device, threads, store, progress, signal });
  try {
    await drainStudy(jobs, { store, claims: claimsOf(store), run: (job) => runJob(job, store, host), ...working });
    // What another worker, killed meanwhile, left half written.
    await clearParts(store.path);
  } finally {
    await host.close();
  }
}

/** Reports about a job name it by its place in the plan, which is the same in both processes. */
async function inChildren(
  { jobs: planned }: StudyPlan,
  missing: readonly StudyJob[],
  { device, threads, jobs, question, seeds, steps }: Options,
  folder: StudyFolder,
  { signal, failed, on, progress }: Working & { progress: Pick<Progress, 'note'> },
): Promise<void> {
  // Processes side by side share the cores out among them.
  const each = threads ?? Math.max(1, Math.floor(availableParallelism() / jobs));
  const argv = [
    ...['study', '--worker', '--device', device, '--threads', String(each), '--out', folder.path],
    ...(question ? ['--question', question.join(',')] : []),
    ...(seeds ? ['--seeds', seeds.join(',')] : []),
    ...(steps === null ? [] : ['--steps', String(steps)]),
  ];
  const children: Rpc[] = [];
  await workInChildren({
    argv: Array(jobs).fill(argv),
    args: [missing.map((job) => planned.indexOf(job))],
    methods: {
      note: progress.note,
      start: (i: number, isTrained: boolean) => on.start(planned[i], isTrained),
      progress: (i: number, what: string) => on.progress(planned[i], what),
      end: (i: number) => on.end(planned[i]),
      failed(i: number, message: string) {
        if (failed.has(planned[i])) return;
        on.failed(planned[i], message);
        for (const child of children) void child.call('leave', i).catch(() => {});
      },
    },
    signal,
    onStart: (rpc) => void children.push(rpc),
  });
}

/** Published runs, and quarantines of them, that the folder has not, into the folder: how many runs. A fresh clone goes on
 *  where the project is. */
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
async function knownRuns(folder: StudyFolder, root: string): Promise<Map<string, FinishedRun>> {
  const kept = [...(await published(root))].filter(([, { record }]) => record.graderVersion === GRADER_VERSION);
  return mergeRuns(await folder.all(), new Map(kept));
}

async function work(
  { jobs }: StudyPlan,
  flags: Options,
  folder: StudyFolder,
  context: CommandContext,
): Promise<number> {
  const failed = new Set<StudyJob>();
  await serveWork(context.signal, (signal, tell) => {
    const place = (job: StudyJob) => jobs.indexOf(job);
    const on: StudyEvents = {
      start: (job, isTrained) => tell('start', place(job), isTrained),
      progress: (job, what) => tell('progress', place(job), what),
      end: (job) => tell('end', place(job)),
      failed: (job, message) => tell('failed', place(job), message),
    };
    const { root } = context;
    return {
      work: (missing: number[]) =>
        alone(
          missing.map((i) => jobs[i]),
          flags,
          folder,
          { root, signal, failed, on, progress: { update: () => {} } },
        ),
      /** It has failed in another one. */
      leave: (i: number) => void failed.add(jobs[i]),
    };
  });
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
    this.#left = sum([...this.#cost.values()]);
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

/** Seconds of a training rollout on the CPU device of a small machine; --list has measured nothing. */
export const SECONDS_PER_ROLLOUT = 0.03;

/** The folder as it will be once the published runs are taken over. */
function withPublished(
  folder: StudyFolder,
  kept: ReadonlyMap<string, FinishedRun>,
): Pick<StudyFolder, 'load' | 'keys'> {
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
