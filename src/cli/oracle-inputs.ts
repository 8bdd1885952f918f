// inputs.json of a reference folder, checked.
import * as z from 'zod/mini';
import { FormatError } from '../lib/errors.ts';

const Ids = z.array(z.int());
const Gate = z.object({ cin: z.number(), cout: z.number() });
const Inputs = z.object({
  forward_ids: z.array(Ids),
  greedy_prompt: Ids,
  greedy_new_tokens: z.int(),
  pairs: z.array(z.object({ prompt: Ids, hack: Ids, clean: Ids })),
  top_k: z.int(),
  grpo: z.object({
    groups: z.array(
      z.object({
        prompt: Ids,
        completions: z.array(Ids),
        rewards: z.array(z.number()),
        is_student: z.array(z.number()),
      }),
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
  const parsed = Inputs.safeParse(JSON.parse(text));
  if (!parsed.success) {
    throw new FormatError(`inputs.json: ${z.prettifyError(parsed.error)}`, 'Use the folder as the reference wrote it.');
  }
  return parsed.data;
}
