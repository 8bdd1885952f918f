// The effect of each field of PEFT's adapter_config.json (LoraConfig of huggingface/peft at 5d602fdb). The reader's refusals and notes, and
// the table of docs/reference/models.md, are made from it. A field is used, without effect at inference, or refused at every value with
// which W' would not be W + s B A. PEFT drops any other field; a note names it.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import type { FieldEffect } from '../../engine/config-fields.ts';
import { shown } from '../../engine/rope.ts';

export const ADAPTER_CONFIG = 'adapter_config.json';

/** Most names or patterns in one field, and most characters of one. */
const [MOST_ENTRIES, MOST_CHARACTERS] = [20_000, 20_000];
const name = z.string().check(z.minLength(1), z.maxLength(MOST_CHARACTERS));
const names = z.union([name, listOf(name, MOST_ENTRIES)]);
const rank = z.int().check(z.gte(1), z.lte(2 ** 20));
const finite = z.number();
const layer = z.int().check(z.nonnegative());

export interface PeftField {
  effect: FieldEffect;
  /** Of a used field its purpose, of one without effect the reason, of a refused one what another value would change. */
  why: string;
  /** Valid values of a used field, and a description of them for refusals. */
  schema?: z.ZodMiniType;
  taken?: string;
  /** Value if a used field is absent; without one the field is required. */
  otherwise?: unknown;
  /** Whether null counts as absent. PEFT itself fails on a null where it needs a number. */
  isNullable?: boolean;
  /** Remedy of a refused field. */
  remedy?: string;
}

/** Remedies that several refusals share. */
export const MERGE =
  'Merge it into its base in PEFT (merge_and_unload, save_pretrained), and give the folder that this makes with --model.';
const CONVERT =
  'Save it again in PEFT with path_initial_model_for_weight_conversion, which writes a plain LoRA of twice the rank.';
const EDIT = `Mend the field in ${ADAPTER_CONFIG}, or save the adapter again with PEFT.`;

/** Initialisations that leave the base's weights unchanged. */
const PLAIN_STARTS = [true, false, 'gaussian', 'eva', 'orthogonal', 'mica'] as const;

const used = (
  schema: z.ZodMiniType,
  taken: string,
  why: string,
  rest: Pick<PeftField, 'otherwise' | 'isNullable' | 'remedy'> = {},
): PeftField => ({ effect: 'used', why, schema, taken, ...rest });
const optional = (otherwise: unknown) => ({ otherwise, isNullable: true });
const idle = (why: string): PeftField => ({ effect: 'without effect', why });
const refused = (why: string, remedy: string): PeftField => ({ effect: 'refused', why, remedy });

const OTHER_PROGRAM = 'It belongs to training or to another program’s wrapper.';
const NO_START = 'It only says how the factors began, and the file has where they ended.';

/** Fields by name, in the order of the reference page. */
export const PEFT_FIELDS: Readonly<Record<string, PeftField>> = {
  peft_type: used(z.literal('LORA'), '"LORA"', 'The method: LORA alone.', { remedy: MERGE }),
  r: used(rank, 'a whole number from 1 on', 'Rank of A and B; 8 where absent.', { otherwise: 8 }),
  lora_alpha: used(finite, 'a number', 'Scale α / r (α / √r with use_rslora); 8 where absent.', { otherwise: 8 }),
  use_rslora: used(z.boolean(), 'true or false', 'Whether the scale is α / √r.', optional(false)),
  rank_pattern: used(
    mapOf(rank),
    'a map from patterns to whole numbers from 1 on',
    'Ranks of some modules: the first pattern in the file’s order that fits a name decides.',
    optional({}),
  ),
  alpha_pattern: used(
    mapOf(finite),
    'a map from patterns to numbers',
    'The same of α. A rank of its own without an α of its own gets lora_alpha / that rank.',
    optional({}),
  ),
  target_modules: used(
    names,
    'a list of names, a regular expression, or "all-linear"',
    'The modules: a list of names or ends of names; a regular expression (RE2) of whole names; all-linear.',
    {
      remedy:
        'Write the names of its modules, such as ["q_proj", "v_proj"]: where the field is absent, PEFT takes a table of its own.',
    },
  ),
  exclude_modules: used(names, 'a list of names or a regular expression', 'Modules that it takes away.', optional([])),
  layers_to_transform: used(
    z.union([layer, listOf(layer, MOST_ENTRIES)]),
    'a layer or a list of layers',
    'The layers, where target_modules is a list; all where absent or empty.',
    optional([]),
  ),
  layers_pattern: used(
    z.union([z.string().check(z.maxLength(MOST_CHARACTERS)), listOf(name, MOST_ENTRIES)]),
    'a name or a list of names',
    'What stands before the number of a layer, with layers_to_transform; anything where absent or empty.',
    optional([]),
  ),
  bias: used(
    z.enum(['none', 'all', 'lora_only']),
    '"none", "all" or "lora_only"',
    'Read at none, and where neither base nor file has a bias: trained biases would take the place of the base’s.',
    { otherwise: 'none', remedy: MERGE },
  ),
  init_lora_weights: used(
    z.union(PLAIN_STARTS.map((start) => z.literal(start))),
    PLAIN_STARTS.map((start) => JSON.stringify(start)).join(', '),
    'Read where the start left the base as it was; with the others (pissa, olora, corda, lora_ga, loftq) it did not.',
    { otherwise: true, isNullable: true, remedy: CONVERT },
  ),
  base_model_name_or_path: used(name, 'a name', 'The base, where no --model is given.', optional(null)),
  // These fields change the computation.
  use_dora: refused('W + s B A would be scaled row by row to trained lengths (DoRA).', MERGE),
  modules_to_save: refused('Whole tensors would take the place of the base’s.', MERGE),
  lora_bias: refused('B would have a trained bias.', MERGE),
  trainable_token_indices: refused('Rows of the embedding are trained too.', MERGE),
  target_parameters: refused('Parameters that are no Linears (experts) have factors.', MERGE),
  layer_replication: refused('Layers would be repeated: a model of another depth.', MERGE),
  alora_invocation_tokens: refused('The adapter acts only behind these tokens (aLoRA).', 'Use another adapter.'),
  use_qalora: refused('Inputs are pooled before A (QA-LoRA).', MERGE),
  kasa_config: refused('The base was cut to fewer singular values, and a diagonal lies between A and B (KaSA).', MERGE),
  use_bdlora: refused('The factors are block-diagonal, and stored by blocks (BD-LoRA).', MERGE),
  monteclora_config: refused('The factors are sampled (MonteCLoRA).', MERGE),
  arrow_config: refused('A router chooses among several adapters (Arrow).', 'Name one of the adapters by itself.'),
  // These fields have no effect on a trained adapter.
  lora_dropout: idle('Nothing is dropped at inference.'),
  fan_in_fan_out: idle('PEFT sets it to false on a Linear.'),
  inference_mode: idle('It freezes the factors in PEFT.'),
  task_type: idle('It chooses PEFT’s wrapper; tensors of another head would be refused.'),
  loftq_config: idle('PEFT ignores it unless the factors began by LoftQ.'),
  eva_config: idle(NO_START),
  corda_config: idle('PEFT ignores it unless the factors began by CorDA.'),
  lora_ga_config: idle('PEFT ignores it unless the factors began by LoRA-GA.'),
  velora_config: idle('It compresses activations of the backward pass.'),
  qalora_group_size: idle('It acts with use_qalora alone.'),
  runtime_config: idle('It chooses among ways to compute the same.'),
  ensure_weight_tying: idle('It acts on whole tensors alone, which are refused.'),
  megatron_config: idle(OTHER_PROGRAM),
  megatron_core: idle(OTHER_PROGRAM),
  auto_mapping: idle(OTHER_PROGRAM),
  revision: idle('A note of the base’s revision.'),
  peft_version: idle('A note of the version that wrote it.'),
};

/** The used fields after validation. */
export interface PeftConfig {
  r: number;
  lora_alpha: number;
  use_rslora: boolean;
  rank_pattern: Readonly<Record<string, number>>;
  alpha_pattern: Readonly<Record<string, number>>;
  target_modules: string | readonly string[];
  exclude_modules: string | readonly string[];
  layers_to_transform: number | readonly number[];
  layers_pattern: string | readonly string[];
  bias: 'none' | 'all' | 'lora_only';
  base_model_name_or_path: string | null;
}

/** PEFT's meaning of “not set”: null, false, 0, and anything empty. */
const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

const fieldOf = (of: string): PeftField | undefined => (Object.hasOwn(PEFT_FIELDS, of) ? PEFT_FIELDS[of] : undefined);

/** The config that decides the computation, and the parts that have no effect. Throws FormatError, naming field, value and remedy. */
export function readPeftConfig(raw: unknown, label: string): { config: PeftConfig; aside: string[] } {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new FormatError(`${label} is no map of fields.`, EDIT);
  const json = raw as Readonly<Record<string, unknown>>;
  const own = (of: string): unknown => (Object.hasOwn(json, of) ? json[of] : undefined);
  const read: [string, unknown][] = [];
  for (const [of, { effect, why, schema, taken, otherwise, isNullable, remedy = EDIT }] of Object.entries(
    PEFT_FIELDS,
  )) {
    const value = own(of);
    if (effect === 'refused' && !isUnset(value))
      throw new FormatError(`${label}: ${of} is ${shown(value)}, which cannot be applied. ${why}`, remedy);
    if (!schema) continue;
    if (otherwise !== undefined && (value === undefined || (value === null && isNullable))) {
      read.push([of, otherwise]);
      continue;
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw new FormatError(
        `${label}: ${of} ${value === undefined ? 'is absent' : `is ${shown(value)}${placeOf(parsed.error)}`}; it can be ${taken}.`,
        remedy,
      );
    read.push([of, parsed.data]);
  }
  const config = Object.fromEntries(read) as unknown as PeftConfig;
  checkLayers(config, label);
  const notes = Object.entries(json).flatMap(([of, value]) => {
    const field = fieldOf(of);
    if (field?.effect === 'without effect' && !isUnset(value) && MATTERS.includes(of)) return [`${of} ${shown(value)}`];
    return field || isUnset(value) ? [] : [`${of.slice(0, 40)} ${shown(value).slice(0, 40)} (not known here)`];
  });
  return { config, aside: notes };
}

/** Fields without effect that a user may expect to have one. */
const MATTERS = ['lora_dropout', 'fan_in_fan_out'];

/** PEFT's own rules between fields (LoraConfig.__post_init__). */
function checkLayers({ target_modules, layers_to_transform, layers_pattern }: PeftConfig, label: string): void {
  const hasLayers = !(Array.isArray(layers_to_transform) && layers_to_transform.length === 0);
  const hasPattern = layers_pattern.length > 0;
  const acts = hasLayers
    ? `layers_to_transform ${shown(layers_to_transform)}`
    : `layers_pattern ${shown(layers_pattern)}`;
  if (typeof target_modules === 'string' && (hasLayers || hasPattern))
    throw new FormatError(
      `${label}: ${acts} is only for a list of target_modules, and that is ${shown(target_modules)}.`,
      'Name the layers in the regular expression, or write a list.',
    );
  if (hasPattern && !hasLayers)
    throw new FormatError(`${label}: ${acts} stands without layers_to_transform.`, 'Name the layers, or leave it out.');
}

/** Position of the first invalid element within a field. */
function placeOf(error: { issues: readonly { path: readonly PropertyKey[] }[] }): string {
  const path = error.issues[0]?.path ?? [];
  return path.length === 0 ? '' : ` (at ${shown(path.map(String).join('.'))})`;
}
