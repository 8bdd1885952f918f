// Writes safetensors files that the Python reference reads. Reading, and the format: safetensors.ts.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { floatToBfloat, floatToHalf } from '../lib/half.ts';
import { BYTES, elements, quote } from './safetensors.ts';

export interface TensorToWrite {
  dtype: 'F32' | 'F16' | 'BF16' | 'U32' | 'I32';
  shape: readonly number[];
  /** F16 and BF16 data is given as f32 and rounded to nearest-even. */
  data: Float32Array | Uint32Array | Int32Array;
}

/** Returns the whole file. Keys keep their order; the header is padded with spaces to 8 bytes, as in the reference. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, TensorToWrite>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = {};
  if (metadata) header.__metadata__ = metadata;
  let offset = 0;
  for (const [name, tensor] of tensors) {
    if (elements(tensor.shape) !== tensor.data.length) {
      throw new FormatError(
        `Tensor ${quote(name)} has ${tensor.data.length} elements, not those of shape [${tensor.shape}].`,
        'This is a bug in the lab: report it with this message.',
      );
    }
    const end = offset + tensor.data.length * BYTES[tensor.dtype];
    setOwn(header, name, { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [offset, end] });
    offset = end;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(json, 8);
  let at = 8 + headerBytes;
  for (const tensor of tensors.values()) {
    const rounded = { F16: floatToHalf, BF16: floatToBfloat }[tensor.dtype as string];
    const data = rounded ? rounded(tensor.data as Float32Array) : tensor.data;
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}
