// A model with an adapter folded in, read like any other: W' = W + s B A is computed in parts as weights are read, so that no more of the
// model is in memory than without an adapter, and all users of a model's files (engine, factors, exports) can use these.
import type { Tensor, WeightReader } from '../../engine/types.ts';
import type { ModelFiles } from '../model-files.ts';
import { elements } from '../safetensors.ts';
import type { FileSource } from '../sources.ts';
import { sha256 } from '../sources.ts';
import { type AdapterFacts, adapterLine, type LoraUpdate, type PeftAdapter, readPeftAdapter } from './adapter.ts';

/** A base with an adapter. Its sha-256 depends on both, since its runs, bases and factors must not be mixed with those of the base. */
export interface AdaptedFiles extends ModelFiles {
  adapter: AdapterFacts;
  baseSha256: string;
}

export async function adaptedFiles(files: ModelFiles, adapter: PeftAdapter): Promise<AdaptedFiles> {
  return {
    ...files,
    weights: foldedReader(files.weights, adapter.updates),
    sha256: await sha256(new TextEncoder().encode(`${files.sha256} peft ${adapter.key}`)),
    baseSha256: files.sha256,
    adapter: adapter.facts,
  };
}

/** Does the same with the adapter's files, and adds a note on the adapter. Throws FormatError. */
export async function withAdapterOf(files: ModelFiles, source: FileSource): Promise<AdaptedFiles> {
  const adapter = await readPeftAdapter(source, files);
  const adapted = await adaptedFiles(files, adapter);
  return { ...adapted, notes: [...files.notes, adapterLine(adapter)] };
}

/** Reads W + s B A instead of W. The factors of only one Linear are in memory at a time. */
function foldedReader(base: WeightReader, updates: ReadonlyMap<string, LoraUpdate>): WeightReader {
  const byWeight = new Map([...updates].map(([module, update]) => [`${module}.weight`, update]));
  let held: { name: string; factors: ReturnType<LoraUpdate['factors']> } | null = null;
  const factorsOf = (name: string, update: LoraUpdate) => {
    if (held?.name !== name) held = { name, factors: update.factors() };
    return held.factors;
  };
  const fold = async (name: string, from: number, into: Float32Array) => {
    const update = byWeight.get(name);
    if (update) addProduct(update, await factorsOf(name, update), from, into);
  };
  const readPart = async (name: string, from: number, into: Float32Array): Promise<void> => {
    if (base.readPart) await base.readPart(name, from, into);
    else into.set((await base.read(name)).data.subarray(from, from + into.length));
    await fold(name, from, into);
  };
  return {
    shapes: base.shapes,
    readPart,
    async read(name): Promise<Tensor> {
      if (!byWeight.has(name)) return base.read(name);
      const shape = base.shapes.get(name)!;
      const data = new Float32Array(elements(shape));
      await readPart(name, 0, data);
      return { shape, data };
    },
  };
}

/** Adds elements [from, from + into.length) of the flattened s B A [dOut, dIn] to `into`, summed in f64 in the order of the rank and rounded
 *  once. */
function addProduct(
  { r, scale, dIn }: LoraUpdate,
  { a, b }: { a: Float32Array; b: Float32Array },
  from: number,
  into: Float32Array,
): void {
  const sums = new Float64Array(dIn);
  for (let at = from; at < from + into.length; ) {
    const row = Math.floor(at / dIn);
    const [first, last] = [at - row * dIn, Math.min(dIn, from + into.length - row * dIn)];
    for (let j = first; j < last; j++) sums[j] = 0;
    for (let k = 0; k < r; k++) {
      const weight = scale * b[row * r + k];
      if (weight === 0) continue;
      const offset = k * dIn;
      for (let j = first; j < last; j++) sums[j] += weight * a[offset + j];
    }
    const shift = row * dIn - from;
    for (let j = first; j < last; j++) into[shift + j] += sums[j];
    at = row * dIn + last;
  }
}
