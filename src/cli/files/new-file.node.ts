// A file that a flag names and a command makes: never written over another. Asked when a command begins, so that nobody waits for a
// result that has no place, and again when it writes.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { diskError, readOrNull, writeWhole } from '../../storage/disk.node.ts';

/**
 * @param flag what named it
 * @param isOwn whether a text that is there is the same command's, so that the command may be given again
 * Throws SpecError where there is another file, StorageError where nobody can tell.
 */
export async function refuseFile(path: string, flag: string, isOwn: (text: string) => boolean = () => false) {
  const bytes = await readOrNull(path).catch((error: unknown) => {
    throw diskError(error, path);
  });
  if (bytes === null || isOwn(bytes.toString('utf8'))) return;
  throw new SpecError(
    `${path} is there already (${bytes.length} bytes).`,
    `Name another place with ${flag}, or move that one away.`,
  );
}

/** Whole or not at all; a file that says exactly this already counts as written. Throws SpecError where there is another, StorageError. */
export async function writeNew(path: string, flag: string, text: string): Promise<void> {
  await refuseFile(path, flag, (found) => found === text);
  await writeWhole(path, text);
}
