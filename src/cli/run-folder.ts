// What an experiment keeps on disk: checkpoints, finished runs, graded pools and bases, so that the same command goes on
// where it was stopped. Files are written whole (rename), so a power cut leaves the old or the new one.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { RawBasis } from '../algorithms/extraction.ts';
import { deployed } from '../algorithms/optimizer.ts';
import type { KnobLayout } from '../engine/types.ts';
import type { ContrastivePair } from '../environments/code/pairs.ts';
import type { ArtifactStore } from '../experiments/artifacts.ts';
import type { Checkpoint, CheckpointStore } from '../experiments/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../experiments/events.ts';
import type { StepStore } from '../experiments/steps.ts';
import type { KeptPool } from '../experiments/teacher-pool.ts';
import { FormatError } from '../lib/errors.ts';
import { adapterMetadata, readBasisFile, writeBasisFile } from '../storage/basis-file.ts';
import { writeCheckpointFile } from '../storage/checkpoint-file.ts';
import { diskFile } from '../storage/sources.node.ts';
import { writeWhole } from './ports.node.ts';
import { stepFolder } from './step-folder.ts';

export interface RunFolder {
  readonly path: string;
  checkpoints: CheckpointStore;
  artifacts: ArtifactStore;
  /** What a finished run can be routed again from. */
  steps: StepStore;
  finishedRun(runId: string): Promise<RunRecord | null>;
  saveRun(run: RunRecord): Promise<void>;
  /** One file a step, JSON lines: a resumed run writes the same steps again. */
  saveRollouts(runId: string, step: number, rollouts: readonly RolloutRecord[]): Promise<void>;
  /** Forgets everything, and the folder with it. */
  remove(): Promise<void>;
}

/** `basisFiles` maps an imported basis's id to its file, `pairFiles` a person's own pair set, `pools` a teacher pool's hash to itself. */
export function openRunFolder(
  path: string,
  layout: KnobLayout,
  modelSha256: string,
  basisFiles: ReadonlyMap<string, string> = new Map(),
  pairSets: ReadonlyMap<string, ContrastivePair[]> = new Map(),
  pools: ReadonlyMap<string, KeptPool> = new Map(),
): RunFolder {
  const file = (runId: string, ending: string) => join(path, `${runId.split('/').slice(1).join('-')}${ending}`);
  return {
    path,
    checkpoints: {
      load: async (runId) => readCheckpoint(file(runId, '.checkpoint')),
      async save(checkpoint) {
        await writeWhole(file(checkpoint.runId, '.checkpoint'), serialize(checkpoint));
        const { optimizer, step } = checkpoint;
        // δS and δS_hack apart, for other tools.
        const knobs = { deltaS: deployed(optimizer), deltaSHack: optimizer.hack };
        const metadata = { step: String(step), model_sha256: modelSha256 };
        await writeWhole(file(checkpoint.runId, '.safetensors'), writeCheckpointFile(layout, knobs, metadata));
      },
    },
    artifacts: {
      loadPool: (key) => readText(join(path, `pool-${key.slice(0, 16)}.jsonl`)),
      savePool: (key, lines) => writeWhole(join(path, `pool-${key.slice(0, 16)}.jsonl`), lines),
      loadTeacherPool: async (id) => pools.get(id) ?? null,
      async loadBasis(id): Promise<RawBasis | null> {
        const source = basisFiles.get(id);
        const found = source ? await diskFile(source) : null;
        return found ? (await readBasisFile(found, layout, { label: source!, modelSha256 })).modules : null;
      },
      loadPairs: async (id) => pairSets.get(id) ?? null,
      saveBasis: (info, basis) =>
        writeWhole(
          join(path, `basis-${info.key.slice(0, 16)}.safetensors`),
          writeBasisFile(basis, { ...info, ...adapterMetadata(layout) }),
        ),
    },
    steps: stepFolder((runId) => file(runId, '.steps')),
    async finishedRun(runId) {
      const text = await readText(file(runId, '.run.json'));
      return text === null ? null : (JSON.parse(text) as RunRecord);
    },
    saveRun: (run) => writeWhole(file(run.id, '.run.json'), JSON.stringify(run)),
    saveRollouts: (runId, step, rollouts) =>
      writeWhole(
        join(file(runId, '.rollouts'), `${String(step).padStart(5, '0')}.jsonl`),
        rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join(''),
      ),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** A folder that can be written; throws FormatError with the reason otherwise. */
export async function prepareFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new FormatError(
      `${path} cannot be made (${(error as NodeJS.ErrnoException).code}).`,
      'Choose another folder with --out.',
    );
  }
}

/** Null where there is none. */
export const readCheckpoint = (path: string): Promise<Checkpoint | null> => readStored<Checkpoint>(path);

async function readStored<T>(path: string): Promise<T | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return deserialize(bytes) as T;
  } catch {
    throw new FormatError(`${path} is damaged.`, 'Delete it, or begin anew with --fresh.');
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
