// What a probe keeps on disk: one `step_NNN.jsonl.gz` a step and replay (one row a sample; gzip has a checksum of its own), and
// the state to go on from with the one before it (kept-state.ts).
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../../experiments/kinds/probe/store.ts';
import { readOrNull, writeWhole } from '../../storage/disk.node.ts';
import { loadState, saveState, type Warn, warnOnStderr } from '../files/kept-state.node.ts';

export const stepFile = (step: number): string => `step_${String(step).padStart(3, '0')}.jsonl.gz`;

const REMEDY = 'Begin anew with --fresh.';
const isReplay = (value: unknown): boolean => {
  const { key, step, optimizer, steps } = (value ?? {}) as Partial<ReplayState>;
  const isWhole = optimizer?.total instanceof Float32Array && Array.isArray(steps);
  return typeof key === 'string' && Number.isInteger(step) && isWhole;
};

/** A folder for each replay below `path`. */
export function probeFolder(path: string, warn: Warn = warnOnStderr): ProbeStore {
  const stateFile = (replay: string) => join(path, replay, 'state');
  const rowsFile = (replay: string, step: number) => join(path, replay, stepFile(step));
  return {
    loadState: (replay) => loadState<ReplayState>(stateFile(replay), isReplay, { warn, remedy: REMEDY }),
    saveState: (replay, state) => saveState(stateFile(replay), state),
    async loadRows(replay, step) {
      const bytes = await readOrNull(rowsFile(replay, step));
      return bytes && damaged(rowsFile(replay, step), () => rowsFromJsonl(gunzipSync(bytes).toString('utf8')));
    },
    // Node writes no time into the header: the same rows are the same bytes.
    saveRows: (replay, step, rows) => writeWhole(rowsFile(replay, step), gzipSync(rowsToJsonl(rows))),
  };
}

function damaged<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FormatError(`${path} is damaged.`, REMEDY, { cause });
  }
}
