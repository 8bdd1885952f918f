// Works off planned runs, one after another: trains those that are not finished (going on from a checkpoint), then replays the quarantines
// that are missing. Nothing finished is made again. Several processes can each run jobs of one plan, as long as no two work on the same
// run.

import { LabError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { RunSpec } from '../config/spec.ts';
import { type ExperimentPorts, runOne, type Shared } from '../kinds/run/experiment.ts';
import { replaySteps } from '../kinds/run/step-replay.ts';
import { type ArtifactStore, contentKey } from '../records/artifacts.ts';
import { type CheckpointStore, checkResumable } from '../records/checkpoint.ts';
import type { LabEvent, RunRecord } from '../records/events.ts';
import { keepsSteps, type StepStore } from '../records/steps.ts';
import { controlRow, type FinishedRun } from './finished.ts';
import type { PlannedRun, RunJob } from './planned.ts';

/** Storage of finished runs by key, and for the run under way its checkpoint and its kept steps, so that it can be killed at any moment; a
 *  folder on the command line. */
export interface RunStore {
  /** Run ids are `studyRunId`s. */
  checkpoints: CheckpointStore;
  steps: StepStore;
  artifacts: ArtifactStore | null;
  load(key: string): Promise<FinishedRun | null>;
  /** Replaces the run under its key, whole or not at all. */
  save(run: FinishedRun): Promise<void>;
  /** Keys of all finished runs. */
  keys(): Promise<string[]>;
}

/** Everything needed to train a run: a policy with its adapter, and ports that its runs share. */
export interface RunEquipment {
  ports: Omit<ExperimentPorts, 'experimentId' | 'checkpoints' | 'artifacts' | 'steps'>;
  shared: Pick<Shared, 'preparation' | 'base'>;
}

export interface RunHost {
  /** Called before every job; a host keeps a policy while the adapter stays the same. */
  equip(spec: RunSpec): Promise<RunEquipment>;
  /** Commit of the code at work; absent where unknown. */
  commit?: string;
}

export async function isDone({ run, shadows: controls }: RunJob, store: Pick<RunStore, 'load'>): Promise<boolean> {
  const kept = await store.load(run.key);
  return kept !== null && controls.every((control) => controlRow(control, kept) !== null);
}

/** Whether all of a finished run's training steps are kept: published runs come without them. */
async function hasSteps({ record }: FinishedRun, { steps }: Pick<RunStore, 'steps'>): Promise<boolean> {
  return (await steps.load(record.id))?.length === record.spec.steps;
}

/** The record does not depend on who asked for the run. */
export async function* runJob(job: RunJob, store: RunStore, host: RunHost): AsyncGenerator<LabEvent, FinishedRun> {
  const { key, spec } = job.run;
  const { ports, shared } = await host.equip(spec);
  const portsOf = async (run: PlannedRun): Promise<ExperimentPorts> => ({
    ...ports,
    experimentId: await studyId(run.key),
    checkpoints: ownCheckpoints(store, run.spec),
    artifacts: store.artifacts,
    steps: store.steps,
  });
  const made = host.commit === undefined ? {} : { commit: host.commit };
  const studyPorts = await portsOf(job.run);
  const lacking = (run: FinishedRun) => job.shadows.filter((control) => controlRow(control, run) === null);
  let kept = await store.load(key);
  // A published run that was taken over has no steps here, so that it must be trained again before a quarantine can be replayed.
  if (kept && lacking(kept).length > 0 && !(await hasSteps(kept, store))) kept = null;
  if (!kept) {
    const vanilla = job.needs === null ? null : await store.load(job.needs);
    const runs = vanilla ? [{ id: vanilla.record.id, spec: vanilla.record.spec }] : [];
    if (vanilla && !(await hasSteps(vanilla, store))) {
      const again = await portsOf({ key: vanilla.key, spec: vanilla.record.spec });
      yield* runOne(vanilla.record.spec, again, { ...shared, runs: [], steps: store.steps });
    }
    const record = yield* runOne(spec, studyPorts, { ...shared, runs, steps: store.steps });
    kept = { key, record, rerouted: [], ...made };
    await store.save(kept);
  }
  const missing = lacking(kept);
  if (missing.length === 0) return kept;
  const { id: runId } = kept.record;
  const steps = await store.steps.load(runId);
  if (!steps)
    throw new SpecError(
      `the kept steps of ${key} are gone, so that ${missing.map(({ id }) => id).join(', ')} cannot be routed`,
      'Check that the study’s folder can be written, and start the study again.',
    );
  const named = missing.map((control, i) => ({ ...control, id: `s${i}` }));
  const { evals } = yield* replaySteps(
    { runId, spec: kept.record.spec, steps, shadows: named, finalEvaluation: true },
    { ...studyPorts, preparation: shared.preparation },
  );
  const replayed = missing.map((control, i) => {
    const row = evals.find(({ model }) => model === named[i].id);
    if (!row)
      throw new LabError(`no evaluation of ${control.id} came back`, 'This is a fault in the lab; please report it.');
    return { shadow: control, row: { ...row, model: control.id }, ...made };
  });
  kept = { ...kept, rerouted: [...kept.rerouted, ...replayed] };
  await store.save(kept);
  return kept;
}

/** A run's experiment id: short, and the same wherever the study runs. */
export async function studyId(key: string): Promise<string> {
  return `study-${(await contentKey(key)).slice(0, 16)}`;
}

/**
 * Refuses a checkpoint of a run whose labels have changed since (its numbers have not, or its key would differ), and one whose steps so far
 * are gone, since other runs could not use them.
 */
function ownCheckpoints({ checkpoints: store, steps }: RunStore, spec: RunSpec): CheckpointStore {
  return {
    load: async (id) => {
      const found = await store.load(id);
      if (!found) return null;
      if (keepsSteps(spec) && found.step > ((await steps.load(id))?.length ?? 0)) return null;
      try {
        checkResumable(found, spec, found.context);
        return found;
      } catch (error) {
        if (error instanceof SpecError) return null;
        throw error;
      }
    },
    save: (checkpoint) => store.save(checkpoint),
    isDue: (id) => store.isDue?.(id) ?? false,
  };
}

/** Seconds that a finished run took; for estimates. */
export function secondsOf({ timings }: Pick<RunRecord, 'timings'>): number {
  return timings.reduce((sum, { total }) => sum + total, 0);
}
