// Trains one planned run for a store: it goes on from the run's checkpoint, and a finished run is not made again. Several processes can work
// on runs of one plan, as long as no two work on the same run.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type RunSpec, runIdOf } from '../config/run-spec.ts';
import { type ExperimentPorts, runOne, type Shared } from '../kinds/run/experiment.ts';
import { type ArtifactStore, contentKey } from '../records/artifacts.ts';
import { type CheckpointStore, checkResumable } from '../records/checkpoint.ts';
import type { LabEvent, RunRecord } from '../records/events.ts';
import { keepsSteps, type StepStore } from '../records/steps.ts';
import type { FinishedRun, PlannedRun } from './finished.ts';

/** Storage of finished runs by key, and for the run under way its checkpoint and its kept steps, so that it can be killed at any moment; a
 *  folder on the command line. */
export interface RunStore {
  /** Run ids are `studyId`'s with arm and seed. */
  checkpoints: CheckpointStore;
  steps: StepStore;
  artifacts: ArtifactStore | null;
  load(key: string): Promise<FinishedRun | null>;
  /** Replaces the run under its key, whole or not at all. */
  save(run: FinishedRun): Promise<void>;
}

/** Everything needed to train a run: a policy with its adapter, and ports that its runs share. */
export interface RunEquipment {
  ports: Omit<ExperimentPorts, 'experimentId' | 'checkpoints' | 'artifacts' | 'steps'>;
  shared: Pick<Shared, 'preparation' | 'base'>;
  /** Commit of the code at work; absent where unknown. */
  commit?: string;
}

export interface RunHost {
  /** Called before every run; a host keeps a policy while the adapter stays the same. */
  equip(spec: RunSpec): Promise<RunEquipment>;
}

/**
 * The record does not depend on who asked for the run.
 *
 * @param beside runs whose kept steps this one may read, where the store has them: it is merged with vanilla's of its own seed
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
 * Refuses a checkpoint of a run whose labels have changed since (its numbers have not, or its key would differ), and one whose steps so far
 * are gone, since the run's own controls could not use them.
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
