// Rows of `are bench`, one per run: in a file, and as the reference's `output.jsonl`.

import { rowsOf } from '@projected-grpo-lab/base/files/rows.node.ts';
import * as z from 'zod/mini';
import { AGENTS } from './opened.ts';

const whole = z.int().check(z.gte(0));
const rowSchema = z.object({
  /** Hash of all inputs of the row: options, model, scenario. Absent in rows of earlier versions. */
  made: z.optional(z.string()),
  agent: z.enum(AGENTS),
  /** Name of the agent's model, if it has one. */
  model: z.nullish(z.string()),
  /** Name of the noise; absent without noise. */
  noise: z.nullish(z.string()),
  split: z.string(),
  scenario: z.string(),
  run: whole,
  success: z.boolean(),
  steps: whole,
  /** Simulated seconds. */
  seconds: z.number(),
  /** Answers of the model, and tokens read and written. */
  calls: z.nullish(whole),
  tokens: z.nullish(whole),
  outputTokens: z.nullish(whole),
  /** Why the run failed, in the reference's words. */
  rationale: z.optional(z.string()),
  /** The scenario has nothing to judge it by. */
  unjudged: z.optional(z.literal(true)),
  /** The judge's error, or why the scenario could not be played. */
  exception: z.optional(z.string()),
  /** Path of its trace, relative to the folder of rows. */
  trace: z.optional(z.string()),
});
export type BenchRow = z.infer<typeof rowSchema>;

export const BENCH_ROWS = rowsOf('are bench', rowSchema);

/** The row as shown to a user, without its hash. */
export const shownRow = ({ made: _, ...row }: BenchRow) => row;

export const runKey = ({ made, split, run }: Pick<BenchRow, 'made' | 'split' | 'run'>): string =>
  `${made ?? ''} ${split} ${run}`;

/** Key of a row that does not record its options. */
export const oldKey = ({
  agent,
  model,
  noise,
  scenario,
  run,
}: Pick<BenchRow, 'agent' | 'model' | 'noise' | 'scenario' | 'run'>) =>
  `${agent} ${model ?? ''} ${noise ?? ''} ${scenario} ${run}`;

const statusOf = ({ exception, unjudged, success }: BenchRow) => {
  if (exception !== undefined) return 'exception';
  if (unjudged) return 'no_validation';
  return success ? 'success' : 'failed';
};

/** Results in the format of the reference's benchmark, one line per run. */
export const outputLines = (rows: readonly BenchRow[]): string =>
  rows
    .map((row) => {
      const status = statusOf(row);
      return `${JSON.stringify({
        task_id: row.scenario,
        trace_id: row.trace ?? null,
        score: status === 'no_validation' ? null : row.success ? 1 : 0,
        metadata: {
          scenario_id: row.scenario,
          run_number: row.run,
          status,
          has_exception: row.exception !== undefined,
          exception_message: row.exception ?? null,
          rationale: row.rationale ?? null,
          config: row.split,
          agent: row.agent,
          model: row.model ?? null,
        },
      })}\n`;
    })
    .join('');
