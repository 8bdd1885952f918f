// What a probe keeps on disk: one `step_NNN.jsonl.gz` a step and replay (one row a sample), and the state to go on from.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../experiments/probe/store.ts';
import { FormatError } from '../lib/errors.ts';
import { writeWhole } from './ports.node.ts';

export const stepFile = (step: number): string => `step_${String(step).padStart(3, '0')}.jsonl.gz`;

/** A folder for each replay below `path`. */
export function probeFolder(path: string): ProbeStore {
  const stateFile = (replay: string) => join(path, replay, 'state');
  const rowsFile = (replay: string, step: number) => join(path, replay, stepFile(step));
  return {
    async loadState(replay) {
      const bytes = await readOrNull(stateFile(replay));
      return bytes && damaged(stateFile(replay), () => deserialize(bytes) as ReplayState);
    },
    saveState: (replay, state) => writeWhole(stateFile(replay), serialize(state)),
    async loadRows(replay, step) {
      const bytes = await readOrNull(rowsFile(replay, step));
      return bytes && damaged(rowsFile(replay, step), () => rowsFromJsonl(gunzipSync(bytes).toString('utf8')));
    },
    // Node writes no time into the header: the same rows are the same bytes.
    saveRows: (replay, step, rows) => writeWhole(rowsFile(replay, step), gzipSync(rowsToJsonl(rows))),
  };
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function damaged<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FormatError(`${path} is damaged.`, 'Begin anew with --fresh.', { cause });
  }
}
