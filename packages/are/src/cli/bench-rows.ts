// Rows of `are bench`, a run each: in a file, and as the reference's `output.jsonl`.

import { rowsOf } from '@projected-grpo-lab/base/files/rows.node.ts';
import * as z from 'zod/mini';
import { AGENTS } from './opened.ts';

const whole = z.int().check(z.gte(0));
const rowSchema = z.object({
  /** Of all that decides it: options, model, scenario. Rows of an earlier lab do not have it. */
  made: z.optional(z.string()),
  agent: z.enum(AGENTS),
  /** Of an agent with one. */
  model: z.nullish(z.string()),
  /** What was made harder; absent where nothing was. */
  noise: z.nullish(z.string()),
  split: z.string(),
  scenario: z.string(),
  run: whole,
  success: z.boolean(),
  steps: whole,
  /** Simulated. */
  seconds: z.number(),
  /** Answers of the model, tokens that it read and wrote. */
  calls: z.nullish(whole),
  tokens: z.nullish(whole),
  outputTokens: z.nullish(whole),
  /** Why it failed, in the reference's words. */
  rationale: z.optional(z.string()),
  /** The scenario has nothing by which it could be judged. */
  unjudged: z.optional(z.literal(true)),
  /** What the judge raised, or why the scenario could not be played. */
  exception: z.optional(z.string()),
  /** The file of its trace, from the folder of rows. */
  trace: z.optional(z.string()),
});
export type BenchRow = z.infer<typeof rowSchema>;

export const BENCH_ROWS = rowsOf('are bench', rowSchema);

/** What a person sees of a row: what it is of is in the options. */
export const shownRow = ({ made: _, ...row }: BenchRow) => row;

export const runKey = ({ made, split, run }: Pick<BenchRow, 'made' | 'split' | 'run'>): string =>
  `${made ?? ''} ${split} ${run}`;

/** Of rows that do not say with which options they were made. */
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

/** As the reference's benchmark writes its results, a line a run. */
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
