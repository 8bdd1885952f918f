// Files of an experiment: checkpoints, finished runs, graded pools and bases, so that the same command goes on where it was stopped. Files
// are written whole (rename), so a power cut leaves the old or the new one, and carry their sha-256 (sealed.ts); a checkpoint's predecessor
// is kept too (kept-state.node.ts).
import { basename, join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { namesIn, readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { DamagedError, sealJson, unsealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import type { RawBasis } from '../../algorithms/extraction.ts';
import { deployed } from '../../algorithms/optimizer.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { ArtifactStore } from '../../experiments/records/artifacts.ts';
import { alsoByTime, type KeptRuns } from '../../experiments/records/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../../experiments/records/events.ts';
import type { StepStore } from '../../experiments/records/steps.ts';
import { readRun } from '../../lab/records/schema.ts';
import { adapterMetadata, readBasisFile, writeBasisFile } from '../../storage/basis-file.ts';
import { writeCheckpointFile } from '../../storage/checkpoint-file.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import type { GivenFiles } from '../files/given.node.ts';
import { previousOf, saveState, type Warn, warnOnStderr } from '../files/kept-state.node.ts';
import { loadLines, saveLines, sumOf } from '../files/pool.node.ts';
import { RunDirectory } from '../run-directory.ts';
import { stepFolder } from './step-folder.ts';

export interface RunFolder extends KeptRuns {
  readonly path: string;
  /** The list of the lab's files in it. */
  readonly own: RunDirectory;
  artifacts: ArtifactStore;
  /** Steps from which a finished run can be replayed. */
  steps: StepStore;
  /** Writes one file a step, as JSON lines; a resumed run writes the same steps again. */
  saveRollouts(runId: string, step: number, rollouts: readonly RolloutRecord[]): Promise<void>;
  /** Removes the lab's files, and the folder where nothing else is left. */
  remove(): Promise<void>;
}

/** Name of a run's files, without their endings: `route-41`. */
export const runName = (runId: string): string => runId.split('/').slice(1).join('-');

const fileOf = (folder: string, runId: string, ending: string): string => join(folder, `${runName(runId)}${ending}`);

/** Path of a step's rollouts, as JSON lines. */
export const rolloutsFile = (folder: string, runId: string, step: number): string =>
  join(fileOf(folder, runId, '.rollouts'), `${String(step).padStart(5, '0')}.jsonl`);

/** `at`: a path, or the folder's RunDirectory. `given`: a person's own files that specs may name. */
export function openRunFolder(
  at: string | RunDirectory,
  layout: AdapterLayout,
  modelSha256: string,
  { basis, pool, pairs, problems }: Partial<GivenFiles> = {},
  warn: Warn = warnOnStderr,
): RunFolder {
  const own = typeof at === 'string' ? new RunDirectory(at) : at;
  const { path } = own;
  const steps = stepFolder((runId) => file(runId, '.steps'));
  const poolFile = (key: string) => join(path, `pool-${key.slice(0, 16)}.jsonl`);
  const write = async (target: string, data: string | Uint8Array) => {
    await own.claim(basename(target));
    await writeWhole(target, data);
  };
  const file = (runId: string, ending: string) => fileOf(path, runId, ending);
  return {
    path,
    own,
    // A kill between two checkpoints loses seconds, however long a step takes.
    checkpoints: alsoByTime(
      {
        load: async (runId) => readCheckpoint(file(runId, '.checkpoint'), warn),
        async save(checkpoint) {
          const target = file(checkpoint.runId, '.checkpoint');
          await own.claim(basename(target), basename(previousOf(target)));
          await saveState(target, checkpoint);
          const { optimizer, step } = checkpoint;
          // Other tools get δS and δS_hack apart.
          const adapterParams = { deltaS: deployed(optimizer), deltaSHack: optimizer.hack };
          const metadata = { step: String(step), model_sha256: modelSha256 };
          await write(file(checkpoint.runId, '.safetensors'), writeCheckpointFile(layout, adapterParams, metadata));
        },
      },
      () => performance.now(),
    ),
    artifacts: {
      loadPool: (key) => loadLines(poolFile(key), warn),
      async savePool(key, lines) {
        await own.claim(basename(poolFile(key)), basename(sumOf(poolFile(key))));
        await saveLines(poolFile(key), lines);
      },
      loadTeacherPool: async (id) => (pool?.sha256 === id ? pool.kept : null),
      loadProblems: async (id) => (problems?.sha256 === id ? problems : null),
      async loadBasis(id): Promise<RawBasis | null> {
        const found = basis?.sha256 === id ? await diskFile(basis.path) : null;
        return found && (await readBasisFile(found, layout, { label: basis!.path, modelSha256 })).modules;
      },
      loadPairs: async (id) => (pairs?.id === id ? pairs.pairs : null),
      saveBasis: (info, basis) =>
        write(
          join(path, `basis-${info.key.slice(0, 16)}.safetensors`),
          writeBasisFile(basis, { ...info, ...adapterMetadata(layout) }),
        ),
    },
    steps: {
      ...steps,
      async append(runId, step, delta) {
        await own.claim(basename(file(runId, '.steps')));
        await steps.append(runId, step, delta);
      },
    },
    async finishedRun(runId) {
      const bytes = await readOrNull(file(runId, '.run.json'));
      return bytes === null ? null : readRunFile(bytes, runId, file(runId, '.run.json'));
    },
    saveRun: async (run) => write(file(run.id, '.run.json'), await sealJson(run)),
    async saveRollouts(runId, step, rollouts) {
      await own.claim(basename(file(runId, '.rollouts')));
      await writeWhole(
        rolloutsFile(path, runId, step),
        rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join(''),
      );
    },
    remove: () => own.remove(),
  };
}

const RUN_REMEDY =
  'Delete it: the same command makes it again from the run’s last checkpoint. Or begin anew with --fresh, or choose another folder with --out.';
const RUN_MEMBERS: readonly (keyof RunRecord)[] = [
  ...(['schema', 'id', 'experimentId', 'spec', 'status', 'createdAt', 'device', 'appVersion', 'modelSha256'] as const),
  ...(['graderVersion', 'rows', 'timings', 'evals', 'error', 'teacherPool', 'rerouted'] as const),
];

/** Finished runs of a folder, by name. Throws DamagedError. */
export async function finishedRuns(folder: string): Promise<RunRecord[]> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.run.json')).sort();
  const runs: RunRecord[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const bytes = await readOrNull(path);
    if (bytes) runs.push(await readRunFile(bytes, null, path));
  }
  return runs;
}

/** A run's file, by its path; null if there is none. Throws DamagedError. */
export async function openRecord(path: string): Promise<RunRecord | null> {
  const bytes = await readOrNull(path);
  return bytes && readRunFile(bytes, null, path);
}

/** Throws DamagedError for a file that is cut off, changed, no run's record, or another run's (null: any run's). */
async function readRunFile(bytes: Uint8Array, runId: string | null, label: string): Promise<RunRecord> {
  const value = await unsealJson(bytes, RUN_MEMBERS, label, RUN_REMEDY);
  let run: RunRecord;
  try {
    run = readRun(value, label);
  } catch (cause) {
    throw new DamagedError(`${label} is no record of a run: ${reason(cause)}`, RUN_REMEDY, { cause });
  }
  if (runId === null || run.id === runId) return run;
  throw new DamagedError(`${label} is the record of ${run.id}, not of ${runId}.`, RUN_REMEDY);
}

const reason = (error: unknown) => (error instanceof FormatError ? error.message : String(error));
