// A hack basis as a file, interchangeable with the Python reference: `V/<module>` [k, r] with orthonormal rows (zero rows allowed: axes
// below tau), `S/<module>` [k]. We write metadata; the reference writes none, and its files are read with a warning. r is the length of the
// module's adapter parameter; for LoRA it is A followed by B, rank·(dIn + dOut), and the metadata has `adapter` lora.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { adapterOf, describeAdapter, layoutOf } from '../engine/adapter-layout.ts';
import type { AdapterLayout, AdapterModule, AdapterSettings } from '../engine/types.ts';
import { openSummed, writeSummed } from './own-sum.ts';
import type { ByteSource, SafetensorsFile } from './safetensors.ts';
import type { TensorToWrite } from './safetensors-write.ts';

export interface ModuleBasis {
  k: number;
  r: number;
  /** [k, r], each row of length 1, or all zeros. */
  V: Float32Array;
  /** Singular values [k], largest first. */
  S: Float32Array;
}

export interface BasisMetadata {
  k: number | null;
  nPairs: number | null;
  tauAxis: number | null;
  nHeldout: number | null;
  modelSha256: string | null;
  pairsSha256: string | null;
  /** Hash of the chat template and arguments that encoded the pairs (ModelText.promptsSha256); null if unknown, or if no pair is a chat. */
  promptsSha256: string | null;
  /** `lora`, or null for singular directions. */
  adapter: 'lora' | null;
  loraRank: number | null;
}

export interface BasisFile {
  /** Bases by module name; a module that is missing here is not projected. */
  modules: ReadonlyMap<string, ModuleBasis>;
  metadata: BasisMetadata;
  zeroRows: number;
  /** Messages for the user about unusual but usable contents. */
  warnings: string[];
}

/** |⟨v_i, v_j⟩ − δ_ij| that still counts as orthonormal: generous enough for a file stored in F16. */
const ORTHONORMAL_TOLERANCE = 4e-3;

export function writeBasisFile(
  modules: ReadonlyMap<string, ModuleBasis>,
  metadata: Partial<BasisMetadata>,
): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { k, r, V }] of modules) tensors.set(`V/${name}`, { dtype: 'F32', shape: [k, r], data: V });
  for (const [name, { k, S }] of modules) tensors.set(`S/${name}`, { dtype: 'F32', shape: [k], data: S });
  const map: Record<string, string> = {};
  for (const [key, value] of [
    ['k', metadata.k],
    ['n_pairs', metadata.nPairs],
    ['tau_axis', metadata.tauAxis],
    ['n_heldout', metadata.nHeldout],
    ['model_sha256', metadata.modelSha256],
    ['pairs_sha256', metadata.pairsSha256],
    ['prompts_sha256', metadata.promptsSha256],
    ['adapter', metadata.adapter],
    ['lora_rank', metadata.loraRank],
  ] as const) {
    if (value !== null && value !== undefined) setOwn(map, key, String(value));
  }
  return writeSummed(tensors, map);
}

/** Metadata of a basis of this layout's adapter; empty for singular directions, as in the reference. */
export function adapterMetadata(layout: AdapterLayout): Pick<BasisMetadata, 'adapter' | 'loraRank'> {
  const { adapter, loraRank } = adapterOf(layout);
  return adapter === 'lora' ? { adapter, loraRank } : { adapter: null, loraRank: null };
}

/** Reads a basis and checks it against the model's adapter parameters. Throws FormatError for anything that would make it meaningless.
 *  `promptsSha256` is the same hash for the run's prompts. `anyAdapter`: also accepts a basis of another adapter, as the file
 *  names it; `given` then supplies only the Linears. */
export async function readBasisFile(
  source: ByteSource,
  given: AdapterLayout,
  options: { label: string; modelSha256?: string; promptsSha256?: string; anyAdapter?: boolean },
): Promise<BasisFile> {
  const { label } = options;
  const file = await openSummed(source, label);
  const metadata = readMetadata(file.metadata);
  const layout = options.anyAdapter ? layoutOf(given, settingsOf(metadata)) : given;
  const warnings: string[] = [];
  const modules = new Map<string, ModuleBasis>();
  let zeroRows = 0;
  refuseForeignTensors(file, layout);
  refuseOtherRanks(file, layout);
  for (const module of layout.modules) {
    const hasV = file.tensors.has(`V/${module.name}`);
    if (hasV !== file.tensors.has(`S/${module.name}`)) {
      throw new FormatError(
        `${label}: ${module.name} has ${hasV ? 'V but no S' : 'S but no V'}.`,
        'Write both; the noise floor needs the singular values.',
      );
    }
    if (!hasV) continue;
    const basis = await readModule(file, module, warnings);
    for (let i = 0; i < basis.k; i++) if (isZeroRow(basis, i)) zeroRows++;
    modules.set(module.name, basis);
  }
  if (modules.size === 0)
    throw new FormatError(`${label} holds no basis at all.`, 'Export one from a finished run, or extract one.');
  refuseEmptyBasis(label, modules);
  const covered = coverOf(modules).modules;
  if (covered < layout.modules.length) {
    warnings.push(
      `Only ${covered} of the model's ${layout.modules.length} Linears have an axis; the others will not be projected.`,
    );
  }
  if (metadata.modelSha256 === null) {
    warnings.push('The file does not say which model it was extracted from; it is assumed to be this one.');
  } else if (options.modelSha256 && metadata.modelSha256 !== options.modelSha256) {
    throw new FormatError(
      `${label} was extracted from another model (sha-256 ${metadata.modelSha256.slice(0, 12)}…, this one is ${options.modelSha256.slice(0, 12)}…).`,
      'Extract the basis again from this model.',
    );
  }
  if (options.promptsSha256 && metadata.promptsSha256 !== null && metadata.promptsSha256 !== options.promptsSha256)
    warnings.push(
      'The prompts of its pairs were written with another chat template, or other arguments of it, than prompts are here; extract it again with the same --chat-template and --chat-arg.',
    );
  return { modules, metadata, zeroRows, warnings };
}

/** Number of a basis' modules that have an axis, and of their axes. A row of zeros is not an axis, nor is a row with S = 0, which the noise
 *  floor drops (noise-floor.ts). */
export function coverOf(modules: ReadonlyMap<string, ModuleBasis>): { modules: number; axes: number } {
  const axes = [...modules.values()].map(
    (basis) => Array.from(basis.S.keys()).filter((row) => basis.S[row] > 0 && !isZeroRow(basis, row)).length,
  );
  return { modules: axes.filter((count) => count > 0).length, axes: axes.reduce((sum, count) => sum + count, 0) };
}

/** Throws FormatError for a basis without an axis: a run with it would be vanilla training under a method's name. */
export function refuseEmptyBasis(label: string, modules: ReadonlyMap<string, ModuleBasis>): void {
  if (coverOf(modules).axes > 0) return;
  const rows = [...modules.values()].reduce((sum, { k }) => sum + k, 0);
  throw new FormatError(
    `${label}: all ${rows} axes of its ${modules.size} modules are zero, so nothing would be projected.`,
    'Extract it again from pairs whose hack and clean completions differ, or use another basis.',
  );
}

/** Most modules that a message names; it counts the others. */
const NAMED = 3;

/** The first names, and the number of further ones. */
function firstOf(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Throws FormatError if the file has tensors that are not V or S of this model's Linears, with their number. */
function refuseForeignTensors(file: SafetensorsFile, { modules }: AdapterLayout): void {
  const known = new Set(modules.flatMap(({ name }) => [`V/${name}`, `S/${name}`]));
  const names = [...file.tensors.keys()];
  const foreign = names.filter((name) => !known.has(name));
  if (foreign.length === 0) return;
  const named = firstOf(foreign.map((name) => JSON.stringify(name.slice(0, 80))));
  throw new FormatError(
    `${file.label}: ${foreign.length} of its ${names.length} tensors belong to no Linear of this model: ${named}.`,
    `A basis holds V/<module> and S/<module>, with modules such as ${modules[0]?.name}; this model has ${modules.length}.`,
  );
}

/** A basis of another model or width has many modules of wrong rank, so one error lists them by name, found and expected r. */
function refuseOtherRanks(file: SafetensorsFile, { modules }: AdapterLayout): void {
  const misfits = modules.flatMap((module) => {
    const shape = file.tensors.get(`V/${module.name}`)?.shape;
    return shape?.length === 2 && shape[1] !== module.r ? [{ module, found: shape[1] }] : [];
  });
  // A basis of this model's other adapter also misfits everywhere; `readModule` reports it.
  if (misfits.length === 0 || adapterOfLength(misfits[0].module, misfits[0].found)) return;
  const named = firstOf(
    misfits.map(({ module, found }) => `${module.name} (found r = ${found}, expected ${module.r})`),
  );
  throw new FormatError(
    `${file.label}: ${misfits.length} of the model's ${modules.length} modules have another rank: ${named}.`,
    'Use a basis that was extracted from this model, or extract one from pairs.',
  );
}

function settingsOf({ adapter, loraRank }: BasisMetadata): AdapterSettings {
  return adapter === 'lora' && loraRank !== null ? { adapter, loraRank } : { adapter: 'svd', loraRank: 0 };
}

/** Name, for a message, of an adapter with `length` elements on this Linear; null if there is none. */
function adapterOfLength({ dOut, dIn }: AdapterModule, length: number): string | null {
  if (length === Math.min(dOut, dIn)) return describeAdapter({ adapter: 'svd', loraRank: 0 });
  const loraRank = length / (dIn + dOut);
  return Number.isInteger(loraRank) && loraRank > 0 ? describeAdapter({ adapter: 'lora', loraRank }) : null;
}

async function readModule(file: SafetensorsFile, module: AdapterModule, warnings: string[]): Promise<ModuleBasis> {
  const { name, r } = module;
  const fail = (what: string): FormatError =>
    new FormatError(`${file.label}: ${what}`, 'Use a basis that was extracted from this model.');
  const shape = file.info(`V/${name}`).shape;
  const other = shape.length === 2 && shape[1] !== r ? adapterOfLength(module, shape[1]) : null;
  if (other) {
    throw new FormatError(
      `${file.label} is a basis of ${other} (V/${name} has the shape [${shape}]); here the adapter is ${adapterOfLength(module, r)}, which needs [k, ${r}].`,
      'Choose the adapter that the basis was extracted with, or extract one with this adapter.',
    );
  }
  if (shape.length !== 2 || shape[1] !== r || shape[0] < 1 || shape[0] > r) {
    throw fail(`V/${name} has the shape [${shape}]; this model needs [k, ${r}] with 1 ≤ k ≤ ${r}.`);
  }
  const k = shape[0];
  const shapeS = file.info(`S/${name}`).shape;
  if (shapeS.length !== 1 || shapeS[0] !== k) throw fail(`S/${name} has the shape [${shapeS}], V has ${k} rows.`);
  const V = await file.readF32(`V/${name}`);
  const S = await file.readF32(`S/${name}`);
  const strange = V.reduce((count, value) => count + Number(!Number.isFinite(value)), 0);
  if (strange > 0)
    throw fail(
      `${strange} of the ${V.length} numbers of V/${name} are not finite, the first in row ${Math.floor(V.findIndex((value) => !Number.isFinite(value)) / r)}.`,
    );
  const bad = S.findIndex((s) => !(s >= 0 && Number.isFinite(s)));
  if (bad >= 0) throw fail(`S/${name}[${bad}] is ${S[bad]}; a singular value is a finite number of at least 0.`);
  if (S.some((s, i) => i > 0 && s > S[i - 1] * (1 + 1e-5))) {
    warnings.push(`S/${name} does not fall from row to row; “the top k” takes the file's order.`);
  }
  const basis = { k, r, V, S };
  for (let i = 0; i < k; i++) {
    if (isZeroRow(basis, i)) continue;
    for (let j = 0; j <= i; j++) {
      if (isZeroRow(basis, j)) continue;
      let dot = 0;
      for (let c = 0; c < r; c++) dot += V[i * r + c] * V[j * r + c];
      const error = Math.abs(dot - (i === j ? 1 : 0));
      if (!(error <= ORTHONORMAL_TOLERANCE)) {
        throw fail(
          i === j
            ? `row ${i} of V/${name} has the squared length ${dot.toPrecision(4)}, not 1.`
            : `rows ${j} and ${i} of V/${name} are not orthogonal (their product is ${dot.toPrecision(3)}).`,
        );
      }
    }
  }
  return basis;
}

function isZeroRow({ V, r }: ModuleBasis, row: number): boolean {
  for (let c = 0; c < r; c++) if (V[row * r + c] !== 0) return false;
  return true;
}

function readMetadata(map: Readonly<Record<string, string>>): BasisMetadata {
  const number = (key: string) => {
    const value = Number(map[key]);
    return map[key] !== undefined && Number.isFinite(value) ? value : null;
  };
  return {
    k: number('k'),
    nPairs: number('n_pairs'),
    tauAxis: number('tau_axis'),
    nHeldout: number('n_heldout'),
    modelSha256: map.model_sha256 ?? null,
    pairsSha256: map.pairs_sha256 ?? null,
    promptsSha256: map.prompts_sha256 ?? null,
    adapter: map.adapter === 'lora' ? 'lora' : null,
    loraRank: map.adapter === 'lora' ? number('lora_rank') : null,
  };
}
