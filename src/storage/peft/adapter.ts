// Reads a LoRA adapter of huggingface/peft (adapter_config.json, adapter_model.safetensors) as the update s B A of each Linear, and checks
// it against its base before anything is computed. An ambiguous adapter is refused with both readings named. Where PEFT, vLLM and merged
// weights disagree (a LoRA on a tied head, tensors that the config leaves out), there is no update.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText, repeatedMember } from '@projected-grpo-lab/base/json.ts';
import { shown } from '../../engine/rope.ts';
import type { ModelConfig, WeightReader } from '../../engine/types.ts';
import { EMBEDDING, HEAD, LINEARS } from '../../engine/weight-names.ts';
import { bytesText } from '../../lib/numbers.ts';
import { elements, quote, SafetensorsFile } from '../safetensors.ts';
import { type FileLike, type FileSource, fileSha256, sha256 } from '../sources.ts';
import { ADAPTER_CONFIG, MERGE, type PeftConfig, readPeftConfig } from './config-fields.ts';
import { rulesOf } from './targets.ts';

export { ADAPTER_CONFIG };
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';
const PICKLE = 'adapter_model.bin';

/** Most bytes of the config, which is read whole. */
const MOST_CONFIG = 16 * 2 ** 20;

/** PEFT wraps the model twice, so keys have this prefix. */
const PREFIX = 'base_model.model.';
/** Key of a factor, in a saved file or (with the adapter's name) in a raw state dict. */
const FACTOR = /^(.+)\.lora_([AB])(?:\.([^.]+))?\.weight$/;

/** Patterns for keys of other kinds of adapter, with the kind's name. */
const OTHER_KINDS: readonly (readonly [RegExp, string])[] = [
  [/\.lora_magnitude_vector\b/, 'the lengths of DoRA’s rows (use_dora)'],
  [
    /\.lora_embedding_[AB]\b/,
    'a LoRA on an embedding (embed_tokens): PEFT leaves a tied head as it was, merged weights move it',
  ],
  [/\.lora_B(\.[^.]+)?\.bias$/, 'a trained bias of B (lora_bias)'],
  [/\.(base_layer\.)?bias$/, 'a trained bias, which takes the place of the base’s (bias)'],
];

/** W' = W + scale · B A of one Linear. */
export interface LoraUpdate {
  /** `model.layers.0.self_attn.q_proj` */
  module: string;
  r: number;
  scale: number;
  dOut: number;
  dIn: number;
  /** A [r, dIn] and B [dOut, r], as f32. */
  factors(): Promise<{ a: Float32Array; b: Float32Array }>;
}

/** Facts about an adapter, for display and records. */
export interface AdapterFacts {
  /** Folder or repository. */
  folder: string;
  /** The config's rank; modules may have others (rank_pattern). */
  r: number;
  /** Number of Linears that it changes. */
  modules: number;
  /** The factor α / r of all modules; least and largest if they differ. */
  scale: number | readonly [number, number];
  /** sha-256 of adapter_model.safetensors. */
  sha256: string;
  /** The field base_model_name_or_path; null if it is absent. */
  base: string | null;
}

export interface PeftAdapter {
  facts: AdapterFacts;
  /** Updates by module, in the base's order. */
  updates: ReadonlyMap<string, LoraUpdate>;
  /** Parts of the files that have no effect, a few words each. */
  aside: readonly string[];
  /** Hash of all that the adapter does to a model: tensors and scales. */
  key: string;
}

/** The base model on which an adapter is used. */
export interface AdapterBase {
  config: ModelConfig;
  weights: WeightReader;
  sha256: string;
}

/** Reads only the config, which is enough to find the base. Throws FormatError. */
export async function readAdapterConfig(source: FileSource): Promise<{ config: PeftConfig; aside: string[] }> {
  const file = await source.read(ADAPTER_CONFIG);
  if (!file)
    throw new FormatError(
      `${source.label} has no ${ADAPTER_CONFIG}, and nothing else says the scale.`,
      `Name a folder with ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS}; an adapter that was saved under a name of its own is in a folder of that name.`,
    );
  const label = `${source.label}: ${ADAPTER_CONFIG}`;
  if (file.size > MOST_CONFIG)
    throw new FormatError(
      `${label} has ${bytesText(file.size)}; at most ${bytesText(MOST_CONFIG)} are read.`,
      'Check the file.',
    );
  const text = await file.text();
  let raw: unknown;
  try {
    raw = parseJsonText(text);
  } catch (error) {
    throw new FormatError(
      `${label} is not JSON (${error instanceof Error ? error.message : String(error)}).`,
      'Save the adapter again with PEFT.',
    );
  }
  const { config, aside } = readPeftConfig(raw, label);
  const twice = repeatedMember(text)?.name;
  return {
    config,
    aside: twice === undefined ? aside : [...aside, `the first of two ${shown(twice)} in ${ADAPTER_CONFIG}`],
  };
}

/** Reads both files and checks every tensor, including its numbers; computes nothing. Throws FormatError, naming field or tensor. */
export async function readPeftAdapter(source: FileSource, base: AdapterBase): Promise<PeftAdapter> {
  const { config, aside } = await readAdapterConfig(source);
  const weights = await openTensors(source);
  const { file } = weights;
  const label = `${source.label}: ${ADAPTER_WEIGHTS}`;
  checkOwnBase(file, base, label);
  const pairs = pairsOf(file, label);
  const rules = rulesOf(config, `${source.label}: ${ADAPTER_CONFIG}`);
  checkBias(config, base, source.label);
  const updates = new Map<string, LoraUpdate>();
  for (const key of base.weights.shapes.keys()) {
    const module = key.replace(/\.weight$/, '');
    const pair = pairs.factors.get(module);
    if (!pair) continue;
    pairs.factors.delete(module);
    updates.set(module, updateOf({ module, pair, file, base, label, rules }));
  }
  const [stray] = pairs.factors.keys();
  if (stray === 'lm_head')
    throw new FormatError(
      `${label} has factors of ${quote(stray)}, and the base’s head is its embedding (tied): PEFT adds them to the head alone, merged weights would move the embedding too.`,
      MERGE,
    );
  if (stray !== undefined)
    throw new FormatError(
      `${label} has factors of ${quote(stray)}, and the base has no such Linear (${base.config.architecture}, ${base.config.layers} layers).`,
      'Name the base that the adapter was trained on with --model.',
    );
  const copies = await checkTables(pairs.tables, file, base, label);
  if (updates.size === 0)
    throw new FormatError(`${label} has no factors of any Linear.`, 'Check that it is the adapter that you mean.');
  await checkNumbers(updates, label);
  const scales = [...updates.values()].map(({ scale }) => scale);
  const [least, most] = [Math.min(...scales), Math.max(...scales)];
  const facts: AdapterFacts = {
    folder: source.label,
    r: config.r,
    modules: updates.size,
    scale: least === most ? least : [least, most],
    sha256: await fileSha256(weights.bytes),
    base: config.base_model_name_or_path,
  };
  const effect = [...updates.values()].map(({ module, scale }) => [module, scale]);
  const key = await sha256(new TextEncoder().encode(JSON.stringify([facts.sha256, effect])));
  return { facts, updates, aside: [...aside, ...copies], key };
}

async function openTensors(source: FileSource): Promise<{ bytes: FileLike; file: SafetensorsFile }> {
  const bytes = await source.read(ADAPTER_WEIGHTS);
  if (bytes) return { bytes, file: await SafetensorsFile.open(bytes, `${source.label}: ${ADAPTER_WEIGHTS}`) };
  if (await source.read(PICKLE))
    throw new FormatError(
      `${source.label} has ${PICKLE} and no ${ADAPTER_WEIGHTS}: a pickle runs code when it is read, so it is not.`,
      'Save the adapter again as safetensors (save_pretrained with safe_serialization, the default of PEFT).',
    );
  throw new FormatError(
    `${source.label} has no ${ADAPTER_WEIGHTS}.`,
    `Name a folder with ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS}.`,
  );
}

/** The lab's own exports have their base's sha-256 in the metadata. */
function checkOwnBase({ metadata }: SafetensorsFile, base: AdapterBase, label: string): void {
  const made = Object.hasOwn(metadata, 'model_sha256') ? metadata.model_sha256 : base.sha256;
  if (made !== base.sha256)
    throw new FormatError(
      `${label} was made on weights with the sha-256 ${made.slice(0, 12)}… (model_sha256); the base has ${base.sha256.slice(0, 12)}….`,
      'Name the model that it was made on with --model.',
    );
}

type Pair = Partial<Record<'A' | 'B', string>>;

/** Keys of both factors of each module, and of whole tables that PEFT stores beside them (module → key). */
function pairsOf(file: SafetensorsFile, label: string): { factors: Map<string, Pair>; tables: Map<string, string> } {
  const factors = new Map<string, Pair>();
  const tables = new Map<string, string>();
  const adapters = new Set<string>();
  for (const key of file.tensors.keys()) {
    if (!key.startsWith(PREFIX))
      throw new FormatError(
        `${label}: ${quote(key)} does not begin with ${PREFIX}, as PEFT’s keys do.`,
        'Save the adapter again with PEFT (save_pretrained).',
      );
    const inner = key.slice(PREFIX.length);
    const found = FACTOR.exec(inner);
    if (!found) {
      const table = /^(model\.embed_tokens|lm_head)(\.base_layer)?\.weight$/.exec(inner);
      if (!table) throw otherKind(key, label);
      tables.set(key, table[1]);
      continue;
    }
    const [, module, side, adapter] = found as unknown as [string, string, 'A' | 'B', string | undefined];
    adapters.add(adapter ?? '');
    const pair = factors.get(module) ?? {};
    if (pair[side] !== undefined)
      throw new FormatError(
        `${label} has lora_${side} of ${quote(module)} twice.`,
        'Save one adapter alone with PEFT.',
      );
    pair[side] = key;
    factors.set(module, pair);
  }
  if (adapters.size > 1)
    throw new FormatError(
      `${label} has tensors of ${adapters.size} adapters (${[...adapters]
        .slice(0, 3)
        .map((name) => quote(name || 'no name'))
        .join(', ')}).`,
      'Save one adapter alone with PEFT (save_pretrained with selected_adapters).',
    );
  return { factors, tables };
}

function otherKind(key: string, label: string): FormatError {
  const kind = OTHER_KINDS.find(([part]) => part.test(key))?.[1];
  if (kind) return new FormatError(`${label}: ${quote(key)} is ${kind}.`, MERGE);
  return new FormatError(`${label}: ${quote(key)} is neither lora_A nor lora_B of a Linear (modules_to_save?).`, MERGE);
}

/** Refuses trained biases that the config announces but the file lacks; trained biases in the file are refused by their tensors. */
function checkBias({ bias }: PeftConfig, { config }: AdapterBase, label: string): void {
  if (bias !== 'none' && config.qkvBias)
    throw new FormatError(
      `${label}: ${ADAPTER_CONFIG}: bias is ${shown(bias)}, and the base has biases (q_proj, k_proj, v_proj), whose trained values would take the place of its own.`,
      MERGE,
    );
}

interface Read {
  module: string;
  pair: Pair;
  file: SafetensorsFile;
  base: AdapterBase;
  label: string;
  rules: ReturnType<typeof rulesOf>;
}

function updateOf({ module, pair, file, base, label, rules }: Read): LoraUpdate {
  const isHead = `${module}.weight` === HEAD;
  if (!isHead && !LINEARS.some((role) => module.endsWith(`.${role}`)))
    throw new FormatError(`${label} has factors of ${quote(module)}, which is no Linear of the base.`, MERGE);
  const [dOut, dIn] = base.weights.shapes.get(`${module}.weight`)!;
  const { A, B } = pair;
  if (A === undefined || B === undefined)
    throw new FormatError(
      `${label} has lora_${A ? 'A' : 'B'} of ${quote(module)} and no lora_${A ? 'B' : 'A'}.`,
      'Get the file again from its source, or save the adapter again with PEFT.',
    );
  const [a, b] = [file.info(A).shape, file.info(B).shape];
  const is = (shape: readonly number[]) => shape.join('×');
  const belongs = 'Check that the adapter belongs to this base, and give its base with --model.';
  if (a.length !== 2 || a[1] !== dIn)
    throw new FormatError(
      `${label}: lora_A of ${quote(module)} is ${is(a)}, not r×${dIn} (d_in of the base).`,
      belongs,
    );
  if (b.length !== 2 || b[0] !== dOut)
    throw new FormatError(
      `${label}: lora_B of ${quote(module)} is ${is(b)}, not ${dOut}×r (d_out of the base).`,
      belongs,
    );
  if (a[0] !== b[1])
    throw new FormatError(`${label}: ${quote(module)} has lora_A of rank ${a[0]} and lora_B of rank ${b[1]}.`, belongs);
  const left = rules.leftOut(module);
  if (left !== null)
    throw new FormatError(
      `${label} has factors of ${quote(module)}, which ${left} of ${ADAPTER_CONFIG} leaves out: PEFT would ignore them, vLLM would apply them.`,
      'Take the tensors out of the file, or the module into the config: whichever is meant.',
    );
  const { r, field } = rules.rank(module);
  if (r !== a[0])
    throw new FormatError(
      `${label}: ${quote(module)} is of rank ${a[0]}, and in ${ADAPTER_CONFIG} ${field}; the scale would be another.`,
      'Give the config and the tensors that were saved together.',
    );
  const factors = async () => ({ a: await file.readF32(A), b: await file.readF32(B) });
  return { module, r, scale: rules.scale(module), dOut, dIn, factors };
}

/** Most elements of a table that are compared at once. */
const COMPARED = 2 ** 20;

/** Ignores whole tables that equal the base's (copies of embedding or head, which PEFT adds if they are targeted or were resized). Throws
 *  FormatError if one differs. */
async function checkTables(
  tables: ReadonlyMap<string, string>,
  file: SafetensorsFile,
  { config, weights }: AdapterBase,
  label: string,
): Promise<string[]> {
  const notes: string[] = [];
  for (const [key, module] of tables) {
    const own = module === 'lm_head' && config.tied ? EMBEDDING : `${module}.weight`;
    const other = (what: string) =>
      new FormatError(
        `${label}: ${quote(key)} ${what}: a whole table (modules_to_save, ${module.replace('model.', '')}) would take the place of the base’s.`,
        MERGE,
      );
    const { shape } = file.info(key);
    const wanted = weights.shapes.get(own)!;
    if (shape.join('×') !== wanted.join('×')) throw other(`is ${shape.join('×')}, the base’s ${wanted.join('×')}`);
    const total = elements(shape);
    const whole = weights.readPart ? null : (await weights.read(own)).data;
    for (let at = 0; at < total; at += COMPARED) {
      const count = Math.min(COMPARED, total - at);
      const [mine, its] = [new Float32Array(count), new Float32Array(count)];
      await file.readF32Part(key, at, mine);
      if (whole) its.set(whole.subarray(at, at + count));
      else await weights.readPart!(own, at, its);
      const i = mine.findIndex((x, j) => x !== its[j]);
      if (i >= 0) throw other(`differs from the base’s at element ${at + i}`);
    }
    notes.push(`${module.replace('model.', '')} (equal to the base’s)`);
  }
  return notes;
}

async function checkNumbers(updates: ReadonlyMap<string, LoraUpdate>, label: string): Promise<void> {
  for (const [module, { factors }] of updates) {
    const { a, b } = await factors();
    for (const [side, values] of [
      ['A', a],
      ['B', b],
    ] as const) {
      const i = values.findIndex((x) => !Number.isFinite(x));
      if (i >= 0)
        throw new FormatError(
          `${label}: element ${i} of lora_${side} of ${quote(module)} is ${values[i]}.`,
          'Get the file again from its source; a training that diverged leaves such numbers.',
        );
    }
  }
}

/** A line about the adapter for stderr. */
export function adapterLine({ facts, aside }: PeftAdapter): string {
  const { folder, r, modules, scale, base } = facts;
  const by = typeof scale === 'number' ? `${scale}` : `${scale[0]} to ${scale[1]}`;
  const of = base === null ? '' : `, trained on ${shown(base)}`;
  const rest = aside.length > 0 ? ` Left aside: ${aside.join(', ')}.` : '';
  return `Adapter ${folder}: rank ${r}, scale ${by}, ${modules} Linears${of}.${rest}`;
}
