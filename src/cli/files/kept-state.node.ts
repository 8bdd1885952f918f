// The state from which a run or a probe goes on (a checkpoint, a replay's state), on disk: sealed with its sha-256, the newest one and the
// one before it. Where the newest is damaged the previous one is used, with a warning.
import { basename } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { DamagedError, seal, unseal } from '@projected-grpo-lab/base/files/sealed.ts';

/** `none-41.checkpoint` → `none-41.checkpoint-previous`. */
export const previousOf = (path: string): string => `${path}-previous`;

/** Prints a line for the person. */
export type Warn = (line: string) => void;
export const warnOnStderr: Warn = (line) => void process.stderr.write(`${line}\n`);

/** Newest files that were found damaged here: they do not replace the previous ones. */
const damagedFiles = new Set<string>();

const V8_FIRST_BYTE = 0xff;

export async function saveState(path: string, state: unknown): Promise<void> {
  await writeWhole(path, await seal(serialize(state)), damagedFiles.has(path) ? undefined : previousOf(path));
  damagedFiles.delete(path);
}

/** Null if there is none. Throws DamagedError where neither the newest nor the one before it can be used. */
export async function loadState<T>(
  path: string,
  isState: (value: unknown) => boolean,
  { warn, remedy }: { warn: Warn; remedy: string },
): Promise<T | null> {
  let failure: DamagedError | null = null;
  for (const at of [path, previousOf(path)]) {
    const bytes = await readOrNull(at);
    if (bytes === null) continue;
    try {
      const state = await readState<T>(bytes, isState, at, remedy);
      if (failure) warn(`${failure.message} The one before it, ${basename(at)}, is used.`);
      return state;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      failure ??= error;
      if (at === path) damagedFiles.add(path);
    }
  }
  if (failure) throw failure;
  return null;
}

/** Reads a sealed file, or one of an earlier lab. */
export async function readState<T>(
  bytes: Uint8Array,
  isState: (value: unknown) => boolean,
  label: string,
  remedy: string,
): Promise<T> {
  const contents = (await unseal(bytes, label, remedy)) ?? bytes;
  try {
    if (contents[0] !== V8_FIRST_BYTE) throw new DamagedError('not serialized', remedy);
    const state: unknown = deserialize(contents);
    if (isState(state)) return state as T;
  } catch (cause) {
    throw new DamagedError(`${label} is damaged, or cut off.`, remedy, { cause });
  }
  throw new DamagedError(`${label} is not what it should be: something else was written there.`, remedy);
}
