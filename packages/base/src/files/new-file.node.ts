// Creates a file that a flag names, without overwriting another. Checked when a command starts, so that no work is lost to a result that
// cannot be written, and again when it writes.
import { SpecError } from '../errors.ts';
import { diskError, readOrNull, writeWhole } from './disk.node.ts';

/**
 * @param flag the flag that names the file
 * @param isOwn whether an existing file belongs to the same command, so that the command may be repeated
 * Returns whether the file exists. Throws SpecError if another file exists, StorageError if that cannot be determined.
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

/**
 * Writes the file completely or not at all; an existing file with the same contents counts as written. Throws SpecError if it has others,
 * StorageError.
 */
export async function writeNew(path: string, flag: string, contents: string | Uint8Array): Promise<void> {
  await refuseFile(path, flag, (found) => found.equals(Buffer.from(contents as Uint8Array)));
  await writeWhole(path, contents);
}
