// Trains one planned run for a store: resumes from the run's checkpoint, and skips a finished run. Several processes can work on the runs of a plan,
// as long as no two of them work on the same run.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type RunSpec, runIdOf } from '../config/run-spec.ts';
import { type ExperimentPorts, runOne, type Shared } from '../kinds/run/experiment.ts';
import { type ArtifactStore, contentKey } from '../records/artifacts.ts';
import { type CheckpointStore, checkResumable } from '../records/checkpoint.ts';
import type { LabEvent, RunRecord } from '../records/events.ts';
import { keepsSteps, type StepStore } from '../records/steps.ts';
import type { FinishedRun, PlannedRun } from './finished.ts';

/** Storage of finished runs by key, and of the current run's checkpoint and steps, so that it can be killed at any moment. On the command line it is
 *  a folder. */
export interface RunStore {
  /** Run ids are made of `studyId`, arm and seed. */
  checkpoints: CheckpointStore;
  steps: StepStore;
  artifacts: ArtifactStore | null;
  load(key: string): Promise<FinishedRun | null>;
  /** Replaces the run under its key atomically. */
  save(run: FinishedRun): Promise<void>;
}

/** Everything needed to train a run: a policy with its adapter, and the ports that runs share. */
export interface RunEquipment {
  ports: Omit<ExperimentPorts, 'experimentId' | 'checkpoints' | 'artifacts' | 'steps'>;
  shared: Pick<Shared, 'preparation' | 'base'>;
  /** Commit of the running code; absent where unknown. */
  commit?: string;
}

export interface RunHost {
  /** Called before every run; a host keeps the policy while the adapter stays the same. */
  equip(spec: RunSpec): Promise<RunEquipment>;
}

/**
 * Trains a run; its record does not depend on who requested it.
 *
 * @param beside runs whose stored steps this one may read, if the store has them, to merge with vanilla's of its own seed
 */
export async function* trainPlanned(
  { key, spec }: PlannedRun,
  store: RunStore,
  host: RunHost,
  beside: readonly PlannedRun[] = [],
): AsyncGenerator<LabEvent, FinishedRun> {
  const kept = await store.load(key);
  if (kept) return kept;
  const { ports, shared, commit } = await host.equip(spec);
  const { artifacts, steps } = store;
  const own = { experimentId: await studyId(key), checkpoints: ownCheckpoints(store, spec), artifacts, steps };
  const idOf = async (run: PlannedRun) => runIdOf(await studyId(run.key), run.spec);
  const runs = await Promise.all(beside.map(async (run) => ({ id: await idOf(run), spec: run.spec })));
  const record = yield* runOne(spec, { ...ports, ...own }, { ...shared, runs, steps });
  const run = { key, record, rerouted: [], ...(commit === undefined ? {} : { commit }) };
  await store.save(run);
  return run;
}

/** A run's experiment id: short, and the same wherever the run is trained. */
export async function studyId(key: string): Promise<string> {
  return `study-${(await contentKey(key)).slice(0, 16)}`;
}

/**
 * Refuses a checkpoint of a run whose labels have changed since (its numbers have not, or its key would differ), and one whose earlier steps are
 * missing, since the run's own controls need them.
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
