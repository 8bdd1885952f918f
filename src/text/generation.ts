// Reads a model's sampling settings from Hugging Face's generation_config.json, and lists those that the lab's sampling does not support.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';

export interface GenerationDefaults {
  /** 0 means greedy decoding, which is the default of a model without `do_sample`. */
  temperature: number;
  /** Most new tokens; null if the file does not say. */
  maxNew: number | null;
  /** Settings in the file that are not supported: `top_k 20`, … The lab samples from the full distribution, as its training does. */
  undone: readonly string[];
}

const id = z.int().check(z.nonnegative());
const Ends = z.object({ eos_token_id: z.optional(z.nullable(z.union([id, listOf(id, 1000)]))) });
const Settings = z.object({
  do_sample: z.optional(z.nullable(z.boolean())),
  temperature: z.optional(z.nullable(z.number().check(z.nonnegative()))),
  max_new_tokens: z.optional(z.nullable(z.int().check(z.positive()))),
});

/** Unsupported settings that change sampling, each with the value at which it has no effect. */
const WHEN_SAMPLED = { top_k: 0, top_p: 1, min_p: 0, typical_p: 1 };
const ALWAYS = { repetition_penalty: 1, no_repeat_ngram_size: 0, num_beams: 1 };

/**
 * The end tokens named by generation_config.json or, if it names none, by config.json (`config` is that file's JSON, unchanged). The files of
 * Qwen3.5 name different ones, so there the union is taken. Throws FormatError for values of the wrong type.
 */
export function endsOf(generationConfig: unknown, config: unknown): readonly number[] {
  const { model_type, text_config } = (config ?? {}) as Record<string, unknown>;
  const named = [
    ['generation_config.json', generationConfig],
    ['config.json', config],
    ['config.json', text_config],
  ] as const;
  const ends = named.map(([file, json]) => [read(Ends, json ?? {}, file).eos_token_id ?? []].flat());
  if (String(model_type).startsWith('qwen3_5')) return [...new Set(ends.flat())];
  return ends.find((some) => some.length > 0) ?? [];
}

/** Reads the sampling settings; the end tokens are read by `endsOf`. Throws FormatError for values of the wrong type. */
export function generationDefaults(generationConfig: unknown): GenerationDefaults {
  const own = read(Settings, generationConfig ?? {}, 'generation_config.json');
  const isSampled = own.do_sample === true;
  const config = (generationConfig ?? {}) as Record<string, unknown>;
  const undone = Object.entries(isSampled ? { ...WHEN_SAMPLED, ...ALWAYS } : ALWAYS)
    .filter(([key, neutral]) => typeof config[key] === 'number' && config[key] !== neutral)
    .map(([key]) => `${key} ${config[key]}`);
  return { temperature: isSampled ? (own.temperature ?? 1) : 0, maxNew: own.max_new_tokens ?? null, undone };
}

function read<T>(schema: z.ZodMiniType<T>, json: unknown, file: string): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  throw new FormatError(
    `${file}: ${path.join('.') || 'the whole'} is invalid (${message}).`,
    'Get the file again from the model’s source.',
  );
}
