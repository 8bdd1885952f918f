// inputs.json of a reference folder, checked.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';

const Ids = listOf(z.int());
const Gate = z.object({ cin: z.number(), cout: z.number() });
const Inputs = z.object({
  forward_ids: listOf(Ids),
  greedy_prompt: Ids,
  greedy_new_tokens: z.int(),
  pairs: listOf(z.object({ prompt: Ids, hack: Ids, clean: Ids })),
  top_k: z.int(),
  grpo: z.object({
    groups: listOf(
      z.object({ prompt: Ids, completions: listOf(Ids), rewards: listOf(z.number()), is_student: listOf(z.number()) }),
    ),
    beta: z.number(),
    clip: z.number(),
    denominator: z.number(),
    lr: z.number(),
    betas: z.tuple([z.number(), z.number()]),
    eps: z.number(),
    weight_decay: z.number(),
    grad_clip: z.number(),
    adam_step: z.int(),
  }),
  overlap: z.object({
    cin_student: z.number(),
    cin_teacher: z.number(),
    gates: z.object({ one_sided: Gate, no_gate: Gate, reverse: Gate }),
  }),
  grad_norm: z.object({ none: z.number(), erase: z.number(), route: z.number() }),
});
export type OracleInputs = z.infer<typeof Inputs>;

export function parseInputs(text: string): OracleInputs {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (cause) {
    throw new FormatError(
      `inputs.json is not JSON (${cause instanceof Error ? cause.message : cause}).`,
      'Use the folder as the reference wrote it.',
      { cause },
    );
  }
  const parsed = Inputs.safeParse(value);
  if (!parsed.success) {
    throw new FormatError(`inputs.json: ${z.prettifyError(parsed.error)}`, 'Use the folder as the reference wrote it.');
  }
  return parsed.data;
}
