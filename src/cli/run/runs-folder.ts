// A folder of runs, a sweep's or a prediction's: finished ones as JSON, checkpoints and kept steps of unfinished ones, graded pools. Every
// file is written whole, so that a kill at any moment leaves the old one or the new one, and carries its sha-256; several processes may
// work in one folder, each on runs of its own.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clearParts, makeFolder, namesIn, readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { DamagedError, sealJson, unsealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { alsoByTime } from '../../experiments/records/checkpoint.ts';
import { fromEvalRow, fromRows } from '../../experiments/records/layout-1.ts';
import type { FinishedRun } from '../../experiments/runs/finished.ts';
import type { RunStore } from '../../experiments/runs/runner.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { previousOf, saveState, type Warn, warnOnStderr } from '../files/kept-state.node.ts';
import { loadLines, saveLines } from '../files/pool.node.ts';
import { stepFolder } from './step-folder.ts';

export interface RunsFolder extends RunStore {
  readonly path: string;
  /** Every finished run, by key. */
  all(): Promise<Map<string, FinishedRun>>;
}

/** Name of a run's file, without its ending. */
export const runFileId = async (key: string): Promise<string> => (await contentKey(key)).slice(0, 16);

export function openRunsFolder(path: string, warn: Warn = warnOnStderr): RunsFolder {
  const plain = (runId: string) => runId.replaceAll('/', '-');
  const checkpoint = (runId: string) => join(path, 'checkpoints', plain(runId));
  const runFile = async (key: string) => join(path, 'runs', `${await runFileId(key)}.json`);
  const poolFile = (key: string) => join(path, 'pools', `${key.slice(0, 16)}.jsonl`);
  const load = async (file: string): Promise<FinishedRun | null> => {
    const bytes = await readOrNull(file);
    return bytes && readRunFile(bytes, file);
  };
  const runs = async () => (await namesIn(join(path, 'runs'))).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  const all = async () => {
    const found = new Map<string, FinishedRun>();
    for (const name of await runs()) {
      const run = await load(join(path, 'runs', name));
      if (run) found.set(run.key, run);
    }
    return found;
  };
  return {
    path,
    all,
    load: async (key) => load(await runFile(key)),
    async save(run) {
      await writeWhole(await runFile(run.key), await sealJson(run));
      for (const old of [checkpoint(run.record.id), previousOf(checkpoint(run.record.id))])
        await rm(old, { force: true });
    },
    checkpoints: alsoByTime(
      {
        load: (runId) => readCheckpoint(checkpoint(runId), warn, MADE_AGAIN),
        save: (kept) => saveState(checkpoint(kept.runId), kept),
      },
      () => performance.now(),
    ),
    steps: stepFolder((runId) => join(path, 'steps', plain(runId))),
    artifacts: {
      loadPool: (key) => loadLines(poolFile(key), warn),
      savePool: (key, lines) => saveLines(poolFile(key), lines),
      loadTeacherPool: async () => null,
      loadBasis: async () => null,
      loadPairs: async () => null,
      // Every basis can be extracted again from its run's spec.
      saveBasis: async () => {},
    },
  };
}

/** Throws StorageError. */
export async function prepareRunsFolder(path: string): Promise<void> {
  for (const part of ['runs', 'checkpoints', 'steps', 'pools']) await makeFolder(join(path, part));
  await clearParts(path);
}

const MADE_AGAIN = 'Delete it: the same command makes it again.';
/** Members of a run's record as an earlier lab wrote it, without a checksum. */
export const RUN_MEMBERS: readonly (keyof FinishedRun)[] = ['key', 'record', 'rerouted', 'seconds', 'by'];

/** Throws DamagedError for a file that is cut off, changed, or no run. */
async function readRunFile(bytes: Uint8Array, label: string): Promise<FinishedRun> {
  const value = await unsealJson<Partial<FinishedRun>>(bytes, RUN_MEMBERS, label, MADE_AGAIN);
  const { key, record, rerouted: replayed } = value;
  const isRun = typeof record?.id === 'string' && Array.isArray(record.rows) && Array.isArray(record.evals);
  if (typeof key === 'string' && isRun && Array.isArray(replayed))
    return {
      ...(value as FinishedRun),
      record: fromRows(record),
      rerouted: replayed.map((again) => ({ ...again, row: fromEvalRow(again?.row) })),
    };
  throw new DamagedError(`${label} is no run: its key, record or evaluations are not there.`, MADE_AGAIN);
}
