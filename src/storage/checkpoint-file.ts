// A trained adapter as a file: `δS/<module>` and `δS_hack/<module>`, each [r], as the Python reference names them.
import type { KnobLayout } from '../engine/types.ts';
import { FormatError } from '../lib/errors.ts';
import { type ByteSource, SafetensorsFile, type TensorToWrite, writeSafetensors } from './safetensors.ts';

export interface Knobs {
  /** [layout.total] */
  deltaS: Float32Array;
  /** [layout.total]; zeros where nothing is quarantined. */
  deltaSHack: Float32Array;
}

export function writeCheckpointFile(
  layout: KnobLayout,
  knobs: Knobs,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [prefix, vector] of [
    ['δS', knobs.deltaS],
    ['δS_hack', knobs.deltaSHack],
  ] as const) {
    if (vector.length !== layout.total) {
      throw new FormatError(
        `${prefix} has ${vector.length} elements, the model ${layout.total}.`,
        'This is a fault in the caller.',
      );
    }
    for (const { name, offset, r } of layout.modules) {
      tensors.set(`${prefix}/${name}`, { dtype: 'F32', shape: [r], data: vector.slice(offset, offset + r) });
    }
  }
  return writeSafetensors(tensors, metadata);
}

/** Every module must be there, with its own rank. A missing δS_hack counts as zeros: other tools leave it out. */
export async function readCheckpointFile(
  source: ByteSource,
  layout: KnobLayout,
  label: string,
): Promise<Knobs & { metadata: Readonly<Record<string, string>> }> {
  const file = await SafetensorsFile.open(source, label);
  const knobs: Knobs = { deltaS: new Float32Array(layout.total), deltaSHack: new Float32Array(layout.total) };
  const hasHack = [...file.tensors.keys()].some((name) => name.startsWith('δS_hack/'));
  for (const { name, offset, r } of layout.modules) {
    for (const [prefix, vector] of [
      ['δS', knobs.deltaS],
      ['δS_hack', knobs.deltaSHack],
    ] as const) {
      if (prefix === 'δS_hack' && !hasHack) continue;
      const { shape } = file.info(`${prefix}/${name}`);
      if (shape.length !== 1 || shape[0] !== r) {
        throw new FormatError(
          `${label}: ${prefix}/${name} has the shape [${shape}], this model needs [${r}].`,
          'Use a checkpoint of this model.',
        );
      }
      vector.set(await file.readF32(`${prefix}/${name}`), offset);
    }
  }
  for (const [name, vector] of Object.entries(knobs) as [string, Float32Array][]) {
    const bad = vector.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0)
      throw new FormatError(
        `${label}: element ${bad} of ${name} is ${vector[bad]}.`,
        'The run that wrote it diverged.',
      );
  }
  return { ...knobs, metadata: file.metadata };
}
