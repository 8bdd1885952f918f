// A file that a flag names and a command makes: never written over another. Asked when a command begins, so that nobody waits for a
// result that has no place, and again when it writes.
import { SpecError } from '../errors.ts';
import { diskError, readOrNull, writeWhole } from './disk.node.ts';

/**
 * @param flag what named it
 * @param isOwn whether a file that is there is the same command's, so that the command may be given again
 * Returns whether it is there. Throws SpecError where there is another file, StorageError where nobody can tell.
 */
export async function refuseFile(
  path: string,
  flag: string,
  isOwn: (found: Buffer) => boolean = () => false,
): Promise<boolean> {
  const bytes = await readOrNull(path).catch((error: unknown) => {
    throw diskError(error, path);
  });
  if (bytes === null) return false;
  if (isOwn(bytes)) return true;
  throw new SpecError(
    `${path} is there already (${bytes.length} bytes).`,
    `Name another place with ${flag}, or move that one away.`,
  );
}

/** Whole or not at all; a file that holds exactly this already counts as written. Throws SpecError where there is another, StorageError. */
export async function writeNew(path: string, flag: string, contents: string | Uint8Array): Promise<void> {
  await refuseFile(path, flag, (found) => found.equals(Buffer.from(contents as Uint8Array)));
  await writeWhole(path, contents);
}
