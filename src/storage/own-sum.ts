// A safetensors file that contains its own sha-256: that of the file with these 64 digits as zeros. To other tools it is ordinary metadata;
// older files, and those of other tools, lack it and can still be opened.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { Sha256 } from '@projected-grpo-lab/base/sha256.ts';
import { type ByteSource, SafetensorsFile } from './safetensors.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';

const NAME = 'file_sha256';
const ZEROS = '0'.repeat(64);

/** Position of the digits. This text occurs only once in a header, since quotes within names and values are escaped. */
function placeIn(file: Uint8Array, digits: string): number {
  const headerBytes = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = new TextDecoder('latin1').decode(file.subarray(8, 8 + headerBytes));
  const before = `"${NAME}":"`;
  const at = header.indexOf(`${before}${digits}"`);
  return at < 0 ? at : 8 + at + before.length;
}
const bytesOf = (digits: string) => new TextEncoder().encode(digits);

export function writeSummed(
  tensors: ReadonlyMap<string, TensorToWrite>,
  metadata: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const file = writeSafetensors(tensors, { ...metadata, [NAME]: ZEROS });
  file.set(bytesOf(new Sha256().update(file).digest()), placeIn(file, ZEROS));
  return file;
}

/** Throws FormatError if the file has changed since it was written. */
export async function openSummed(source: ByteSource, label: string): Promise<SafetensorsFile> {
  const file = await SafetensorsFile.open(source, label);
  const named = file.metadata[NAME];
  if (named === undefined) return file;
  const bytes = new Uint8Array(await source.slice(0, source.size).arrayBuffer()).slice();
  const at = placeIn(bytes, named);
  if (at >= 0) bytes.set(bytesOf(ZEROS), at);
  const found = new Sha256().update(bytes).digest();
  if (found === named) return file;
  throw new FormatError(
    `${label} is damaged: its contents have the sha-256 ${found.slice(0, 12)}…, and ${named.slice(0, 12)}… was written.`,
    'Get the file again from its source, or have it made again.',
  );
}
