// A trained adapter as adapter_config.json and adapter_model.safetensors, such that PEFT, transformers, vLLM and unsloth load it with the
// same result: scale 1, one rank for all modules (padded with zeros), target_modules as a list of names. An update of higher rank than
// requested is truncated to its largest singular values, which is the best LoRA of that rank in Frobenius and spectral norm (Eckart–Young);
// its relative error is √(Σ dropped σ² / Σ σ²).
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type LowRank, type ModuleUpdate, taken } from '../../engine/adapters/low-rank.ts';
import type { AdapterModule } from '../../engine/types.ts';
import { LINEARS } from '../../engine/weight-names.ts';
import type { Device } from '../../kernels/device.ts';
import { svd } from '../../kernels/svd.ts';
import { json } from '../model-export.ts';
import { type TensorToWrite, writeSafetensors } from '../safetensors-write.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from './adapter.ts';

export const DTYPES = ['f32', 'bf16', 'f16'] as const;
export type AdapterDType = (typeof DTYPES)[number];
const IN_FILE = { f32: 'F32', bf16: 'BF16', f16: 'F16' } as const;

/** Ranks with which vLLM can be started (--max-lora-rank). */
const VLLM_RANKS = [1, 8, 16, 32, 64, 128, 256, 320, 512];

export interface AdapterToWrite {
  /** The model's Linears in order. */
  modules: readonly AdapterModule[];
  layers: number;
  updates: (module: AdapterModule) => Promise<ModuleUpdate>;
  device: Device;
  /** Largest rank; null: exact. */
  rank: number | null;
  dtype: AdapterDType;
  /** Hub id or folder's name. */
  base: string;
  metadata: Readonly<Record<string, string>>;
  /** Reports finished modules; may throw to stop. */
  onModule?: (done: number, total: number) => Promise<void>;
}

export interface WrittenModule {
  module: string;
  /** Rank of the update before truncation. */
  rank: number;
  /** Relative error of the written adapter, ‖ΔW − written‖ / ‖ΔW‖, before the dtype's rounding. */
  relativeError: number;
}

export interface WrittenAdapter {
  files: { path: string; bytes: () => Uint8Array }[];
  r: number;
  /** Whether no singular value was dropped. */
  exact: boolean;
  relativeError: { all: number; worst: number; module: string };
  /** vLLM's --max-lora-rank; null if vLLM does not support the file. */
  maxLoraRank: number | null;
  modules: WrittenModule[];
  /** Number of elements in the file, and in the Linears that it changes. */
  numbers: { file: number; linears: number };
}

/** Throws SpecError if no module has changed, or if a full-rank update has no rank limit. */
export async function peftFiles(given: AdapterToWrite): Promise<WrittenAdapter> {
  const { modules, rank, dtype, device } = given;
  const kept: { module: AdapterModule; update: LowRank }[] = [];
  const rows: WrittenModule[] = [];
  let [dropped, whole] = [0, 0];
  for (const [i, module] of modules.entries()) {
    await given.onModule?.(i, modules.length);
    const update = await given.updates(module);
    if (update === null) continue;
    if ('whole' in update && rank === null)
      throw new SpecError(
        `All weights were trained: the update of ${module.name} has no rank of its own.`,
        'Give --rank K for the best LoRA of that rank, with its error, or --format hf.',
      );
    const cut = await cutTo(device, module, update, rank);
    kept.push({ module, update: cut.update });
    rows.push({
      module: module.name,
      rank: cut.rank,
      relativeError: cut.norm2 === 0 ? 0 : Math.sqrt(cut.lost2 / cut.norm2),
    });
    dropped += cut.lost2;
    whole += cut.norm2;
  }
  if (kept.length === 0)
    throw new SpecError('No Linear moved: there is no adapter to write.', 'Train longer, or export other --weights.');
  const r = Math.max(...kept.map(({ update }) => update.r));
  const worst = rows.reduce((most, row) => (row.relativeError > most.relativeError ? row : most));
  const tensors = new Map<string, TensorToWrite>();
  for (const { module, update } of kept) {
    const { dOut, dIn } = module;
    const { a, b } = padded(module, dtype === 'f16' ? balanced(module, update) : update, r);
    const name = (side: string) => `base_model.model.${module.name}.lora_${side}.weight`;
    tensors.set(name('A'), { dtype: IN_FILE[dtype], shape: [r, dIn], data: a });
    tensors.set(name('B'), { dtype: IN_FILE[dtype], shape: [dOut, r], data: b });
  }
  const config = configOf(
    given,
    kept.map(({ module }) => module.name),
    r,
  );
  const count = (of: (module: AdapterModule) => number) => kept.reduce((sum, { module }) => sum + of(module), 0);
  return {
    files: [
      { path: ADAPTER_CONFIG, bytes: () => json(config) },
      { path: ADAPTER_WEIGHTS, bytes: () => writeSafetensors(tensors, { format: 'pt', ...given.metadata }) },
    ],
    r,
    exact: dropped === 0,
    relativeError: {
      all: whole === 0 ? 0 : Math.sqrt(dropped / whole),
      worst: worst.relativeError,
      module: worst.module,
    },
    maxLoraRank: VLLM_RANKS.find((most) => most >= r) ?? null,
    modules: rows,
    numbers: { file: count(({ dOut, dIn }) => r * (dOut + dIn)), linears: count(({ dOut, dIn }) => dOut * dIn) },
  };
}

interface Cut {
  update: LowRank;
  rank: number;
  /** Σ σ² of the dropped singular values, and of all of them. */
  lost2: number;
  norm2: number;
}

/** Truncates an update to this rank; one of no greater rank is unchanged. */
async function cutTo(
  device: Device,
  module: AdapterModule,
  update: LowRank | { whole: Float32Array },
  most: number | null,
): Promise<Cut> {
  if (!('whole' in update) && (most === null || update.r <= most)) {
    const norm2 = update.sigma ? squares(update.sigma) : productNorm2(module, update);
    return { update, rank: update.r, lost2: 0, norm2 };
  }
  const found =
    'whole' in update ? await spectrumOf(device, module, update.whole) : await productSpectrum(device, module, update);
  const sigma = found.sigma!;
  const rank = Math.max(1, sigma.filter((s) => s > 0).length);
  const keep = Math.min(rank, most ?? rank);
  const kept = Array.from({ length: keep }, (_, k) => k);
  return { update: taken(module, found, kept), rank, lost2: squares(sigma.slice(keep)), norm2: squares(sigma) };
}

const squares = (values: readonly number[]): number => values.reduce((sum, x) => sum + x * x, 0);

/** The squared norm ‖B A‖_F² = ⟨BᵀB, A Aᵀ⟩. */
function productNorm2({ dOut, dIn }: AdapterModule, { r, a, b }: LowRank): number {
  let sum = 0;
  for (let i = 0; i < r; i++)
    for (let j = 0; j < r; j++) {
      let [left, right] = [0, 0];
      for (let o = 0; o < dOut; o++) left += b[o * r + i] * b[o * r + j];
      for (let k = 0; k < dIn; k++) right += a[i * dIn + k] * a[j * dIn + k];
      sum += left * right;
    }
  return Math.max(0, sum);
}

/** Scaled singular vectors of a matrix [dOut, dIn], in descending order. */
async function spectrumOf(
  device: Device,
  { dOut, dIn }: Pick<AdapterModule, 'dOut' | 'dIn'>,
  matrix: Float32Array | Float64Array,
): Promise<LowRank> {
  const { U, S, Vh } = await svd(device, matrix, dOut, dIn);
  const r = S.length;
  const [a, b] = [new Float64Array(r * dIn), new Float64Array(dOut * r)];
  for (let k = 0; k < r; k++) {
    const root = Math.sqrt(S[k]);
    for (let j = 0; j < dIn; j++) a[k * dIn + j] = root * Vh[k * dIn + j];
    for (let o = 0; o < dOut; o++) b[o * r + k] = root * U[o * r + k];
  }
  return { r, a, b, sigma: [...S] };
}

/** The same for a product, by two decompositions of the size of the rank: A = Ua Sa Va, B Ua Sa = Um Sm Vm, so B A = Um Sm (Vm Va). */
async function productSpectrum(device: Device, module: AdapterModule, update: LowRank): Promise<LowRank> {
  const { dOut, dIn } = module;
  const { r, a, b, sigma } = update;
  if (sigma) return update;
  const right = await svd(device, a, r, dIn);
  const q = right.S.length;
  const left = new Float64Array(dOut * q);
  for (let o = 0; o < dOut; o++)
    for (let k = 0; k < q; k++) {
      let sum = 0;
      for (let i = 0; i < r; i++) sum += b[o * r + i] * right.U[i * q + k];
      left[o * q + k] = sum * right.S[k];
    }
  const inner = await spectrumOf(device, { dOut, dIn: q }, left);
  const rows = new Float64Array(inner.r * dIn);
  for (let k = 0; k < inner.r; k++)
    for (let i = 0; i < q; i++) {
      const weight = inner.a[k * q + i];
      for (let j = 0; j < dIn; j++) rows[k * dIn + j] += weight * right.Vh[i * dIn + j];
    }
  return { r: inner.r, a: rows, b: inner.b, sigma: inner.sigma };
}

/** Scales row i of A by 2ᶜ and column i of B by 2⁻ᶜ, so that both have similar norms: f16 ends at 6e-5, and powers of two round nothing. */
function balanced({ dOut, dIn }: AdapterModule, { r, a, b, sigma }: LowRank): LowRank {
  const [ownA, ownB] = [Float64Array.from(a), Float64Array.from(b)];
  for (let k = 0; k < r; k++) {
    let [rowA, columnB] = [0, 0];
    for (let j = 0; j < dIn; j++) rowA = Math.max(rowA, Math.abs(ownA[k * dIn + j]));
    for (let o = 0; o < dOut; o++) columnB = Math.max(columnB, Math.abs(ownB[o * r + k]));
    if (rowA === 0 || columnB === 0) continue;
    const factor = 2 ** Math.round(Math.log2(columnB / rowA) / 2);
    for (let j = 0; j < dIn; j++) ownA[k * dIn + j] *= factor;
    for (let o = 0; o < dOut; o++) ownB[o * r + k] /= factor;
  }
  return { r, a: ownA, b: ownB, sigma };
}

/** Pads A and B with zero rows and columns to rank `r`, in f32. */
function padded({ dOut, dIn }: AdapterModule, update: LowRank, r: number): { a: Float32Array; b: Float32Array } {
  const [a, b] = [new Float32Array(r * dIn), new Float32Array(dOut * r)];
  a.set(update.a);
  for (let o = 0; o < dOut; o++) b.set(update.b.subarray(o * update.r, (o + 1) * update.r), o * r);
  return { a, b };
}

/** Keys are sorted, as PEFT saves them. */
function configOf({ base, layers }: AdapterToWrite, names: readonly string[], r: number): Record<string, unknown> {
  const layerOf = (name: string) => Number(/\.layers\.(\d+)\./.exec(name)?.[1]);
  const present = [...new Set(names.map(layerOf))].sort((one, other) => one - other);
  return {
    alpha_pattern: {},
    auto_mapping: null,
    base_model_name_or_path: base,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    layers_pattern: null,
    layers_to_transform: present.length === layers ? null : present,
    lora_alpha: r,
    lora_dropout: 0,
    modules_to_save: null,
    peft_type: 'LORA',
    r,
    rank_pattern: {},
    revision: null,
    target_modules: LINEARS.filter((role) => names.some((name) => name.endsWith(`.${role}`))),
    task_type: 'CAUSAL_LM',
    use_dora: false,
    use_rslora: false,
  };
}
