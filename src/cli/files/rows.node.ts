// Files of rows (base/files), and the lab's published ones, which are packed.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull } from '@projected-grpo-lab/base/files/disk.node.ts';
import { type Note, type RowKind, rowsIn, sayUnsealed } from '@projected-grpo-lab/base/files/rows.node.ts';
import { isPackedFile, unpackedFile } from '../../lib/packed-file.ts';

export * from '@projected-grpo-lab/base/files/rows.node.ts';

/** Rows of a file (.gz too) for reading alone. Throws FormatError for a missing or empty file, DamagedError. */
export async function readRows<T>(path: string, kind: RowKind<T>, note: Note): Promise<T[]> {
  const bytes = await readOrNull(path);
  if (bytes === null) throw new FormatError(`${path} cannot be read (ENOENT).`, 'Check the path.');
  const isPacked = isPackedFile(bytes, path);
  const found = await rowsIn(unpackedFile(bytes, path), path, kind);
  if (found.torn !== null) note(`${path}: the last line was cut off after ${found.torn.length} bytes; it is left out.`);
  // A packed file has gzip's own checksum.
  if (!isPacked) sayUnsealed(path, found.unsealed, note);
  if (found.rows.length > 0) return found.rows;
  throw new FormatError(`${path} has no rows.`, `Give a file that \`${kind.command}\` has written.`);
}
