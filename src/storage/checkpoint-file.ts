// A trained adapter as a file. SVD adapter: `δS/<module>` and `δS_hack/<module>`, each [r], named as in the Python reference. LoRA:
// `lora_A/<module>` [rank, dIn] and `lora_B/<module>` [dOut, rank], deployed as W + lora_B lora_A, and the quarantine's
// `lora_A_hack/<module>`, `lora_B_hack/<module>`: total = the sum of both, for A and B separately. All weights trained: `δW/<module>` in
// the weight's shape; the model is W + δW.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { loraParts } from '../engine/adapter-layout.ts';
import type { AdapterLayout, AdapterModule } from '../engine/types.ts';
import { openSummed, writeSummed } from './own-sum.ts';
import type { ByteSource } from './safetensors.ts';
import type { TensorToWrite } from './safetensors-write.ts';

interface AdapterParams {
  /** The trainable parameters [layout.total]. */
  deltaS: Float32Array;
  /** The quarantine [layout.total]; zeros without one. */
  deltaSHack: Float32Array;
}

/** A tensor of the file, and its range in a parameter vector. */
interface Part {
  tensor: string;
  shape: readonly number[];
  from: number;
  to: number;
}

const HACK = '_hack';

function partsOf(module: AdapterModule, suffix: '' | typeof HACK): Part[] {
  const { name, offset, r, dOut, dIn } = module;
  if (module.whole)
    return [{ tensor: `δW${suffix}/${name}`, shape: dIn === 1 ? [dOut] : [dOut, dIn], from: offset, to: offset + r }];
  if (module.rank === undefined) return [{ tensor: `δS${suffix}/${name}`, shape: [r], from: offset, to: offset + r }];
  const { rank, a, b } = loraParts(module);
  // A two-block adapter is stored as its difference from the frozen A0 and B0, both blocks in one tensor.
  const stem = module.blocks ? 'blocks_Δ' : 'lora_';
  return [
    { tensor: `${stem}A${suffix}/${name}`, shape: [rank, dIn], from: a[0], to: a[1] },
    { tensor: `${stem}B${suffix}/${name}`, shape: [dOut, rank], from: b[0], to: b[1] },
  ];
}

export function writeCheckpointFile(
  layout: AdapterLayout,
  adapterParams: AdapterParams,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [suffix, vector] of [
    ['', adapterParams.deltaS],
    [HACK, adapterParams.deltaSHack],
  ] as const) {
    if (vector.length !== layout.total) {
      throw new FormatError(
        `δS${suffix} has ${vector.length} elements, the model ${layout.total}.`,
        'This is a bug in the lab: report it with this message.',
      );
    }
    for (const { tensor, shape, from, to } of layout.modules.flatMap((module) => partsOf(module, suffix))) {
      tensors.set(tensor, { dtype: 'F32', shape, data: vector.slice(from, to) });
    }
  }
  return writeSummed(tensors, metadata);
}

/** Every module must be present with its own rank. A missing quarantine is read as zeros, since other tools leave it out. */
export async function readCheckpointFile(
  source: ByteSource,
  layout: AdapterLayout,
  label: string,
): Promise<AdapterParams & { metadata: Readonly<Record<string, string>> }> {
  const file = await openSummed(source, label);
  const adapterParams: AdapterParams = {
    deltaS: new Float32Array(layout.total),
    deltaSHack: new Float32Array(layout.total),
  };
  const hasHack = [...file.tensors.keys()].some((name) => name.split('/')[0].endsWith(HACK));
  for (const module of layout.modules) {
    for (const [suffix, vector] of [
      ['', adapterParams.deltaS],
      [HACK, adapterParams.deltaSHack],
    ] as const) {
      if (suffix === HACK && !hasHack) continue;
      for (const { tensor, shape, from } of partsOf(module, suffix)) {
        const found = file.info(tensor).shape;
        if (found.length !== shape.length || found.some((size, i) => size !== shape[i])) {
          throw new FormatError(
            `${label}: ${tensor} has the shape [${found}], this model needs [${shape}].`,
            'Use a checkpoint of this model and adapter.',
          );
        }
        vector.set(await file.readF32(tensor), from);
      }
    }
  }
  for (const [name, vector] of Object.entries(adapterParams) as [string, Float32Array][]) {
    const bad = vector.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0)
      throw new FormatError(
        `${label}: element ${bad} of ${name} is ${vector[bad]}.`,
        'Train again with a lower learning rate.',
      );
  }
  return { ...adapterParams, metadata: file.metadata };
}
