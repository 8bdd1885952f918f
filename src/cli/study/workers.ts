// Who makes a study's jobs: any process that claims their runs, this one, children of it, or the same command given twice on one folder.
// A job that fails is reported; the rest goes on. Only a stop or a lost device ends a worker.
import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { StudyJob } from '../../../research/series/study/plan.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import type { RunStore } from '../../experiments/runs/runner.ts';
import { isDone, retrains } from '../../experiments/runs/runner.ts';
import type { Claim, Claims } from '../../storage/claims/claims.ts';
import { StorageError } from '../../storage/kv.ts';
import { explain } from '../children.ts';
import { drainClaimed } from '../claimed.ts';
import { breathe } from '../shown.ts';
import { runFileId } from './folder.ts';

/** Reports about jobs. */
export interface StudyEvents {
  start(job: StudyJob, isTrained: boolean): void;
  /** `step 7/40`, `final evaluation 3/14`, … */
  progress(job: StudyJob, what: string): void;
  end(job: StudyJob): void;
  failed(job: StudyJob, message: string): void;
}

export interface StudyWork {
  store: RunStore;
  claims: Claims;
  /** Makes a job that nobody else is at: runJob. */
  run(job: StudyJob): AsyncIterable<LabEvent>;
  signal: AbortSignal;
  on: StudyEvents;
  /** Left behind, here and by whoever else says so. */
  failed: Set<StudyJob>;
}

/** Makes `jobs` in their order, as far as nobody else is at them, until all are done. Throws what would meet every other job too: a
 *  stop, a lost device, a disk that cannot be written. */
export async function drainStudy(
  jobs: readonly StudyJob[],
  { store, claims, run, signal, on, failed }: StudyWork,
): Promise<void> {
  const done = new Set<StudyJob>();
  const finished = new Set(await store.keys());
  const isFinished = async (key: string) => {
    if (!finished.has(key) && (await store.load(key)) !== null) finished.add(key);
    return finished.has(key);
  };
  const fail = (job: StudyJob, message: string) => {
    failed.add(job);
    on.failed(job, message);
  };
  await drainClaimed<StudyJob>({
    signal,
    async left() {
      const left: StudyJob[] = [];
      for (const job of jobs) {
        if (done.has(job) || failed.has(job)) continue;
        if (await isDone(job, store)) done.add(job);
        else left.push(job);
      }
      for (const job of left)
        if (job.needs !== null && !(await isFinished(job.needs)) && !left.some(({ run }) => run.key === job.needs))
          fail(job, 'what it needs could not be made');
      return left.filter((job) => !failed.has(job));
    },
    async claim(job) {
      if (job.needs !== null && !(await isFinished(job.needs))) return null;
      const own = await claims.claim(await runFileId(job.run.key));
      if (!own) return null;
      // A needed run without its steps is trained again, by one alone; where they are there, all may read them.
      const needed =
        job.needs !== null && (await retrains(job, store)) ? await claims.claim(await runFileId(job.needs)) : undefined;
      if (needed !== null && !(await isDone(job, store))) return needed ? [own, needed] : [own];
      await own.release();
      await needed?.release();
      return null;
    },
    async make(job, held) {
      try {
        on.start(job, await isFinished(job.run.key));
        if (await make(job, held)) on.end(job);
      } catch (error) {
        if (error instanceof StoppedError || error instanceof DeviceError || error instanceof StorageError) throw error;
        fail(job, explain(error));
      }
    },
  });

  /** False where another has it by now. */
  async function make(job: StudyJob, held: readonly Claim[]): Promise<boolean> {
    for await (const event of run(job)) {
      await breathe();
      if (event.type === 'step') for (const claim of held) claim.at(event.row.step);
      if (held.some((claim) => claim.isLost())) return false;
      const what = lineOf(event, job);
      if (what) on.progress(job, what);
    }
    return true;
  }
}

function lineOf(event: LabEvent, { run }: StudyJob): string | null {
  if (event.type === 'prepare') return `${event.what} ${event.done}/${event.total}`;
  if (event.type === 'step') return `step ${event.row.step}/${run.spec.steps}  ${event.timing.total.toFixed(1)} s/step`;
  if (event.type === 'phase' && event.phase === 'final evaluation')
    return `${event.phase} ${event.done}/${event.total}`;
  return null;
}
