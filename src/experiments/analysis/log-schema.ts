// The parts of an Inspect log that the lab reads, with bounds as for every file from outside. Inspect writes more fields, and other versions
// write others: unknown ones are ignored, and missing ones have defaults.
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';

/** Newest version of Inspect's log files that can be read (LOG_SCHEMA_VERSION in inspect-log.ts is the written one). */
export const NEWEST_LOG = 2;

/** Most bytes of a log in one JSON text, which needs about six times as much memory. */
export const MOST_JSON = 256 * 2 ** 20;

/** Most characters of one text; texts of stored rollouts may have twice as many. */
export const MOST_CHARACTERS = 1_000_000;

const text = z.string();
const name = z.string().check(z.maxLength(1000));
const maybe = <T>(schema: z.ZodMiniType<T>) => z.optional(z.nullable(schema));

/** Text, or a list of parts; parts that are not text (pictures, audio, documents) are replaced by their names. */
const content = z.union([text, listOf(z.looseObject({ type: name }), 10_000)]);

export const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z._default(content, ''),
  tool_calls: maybe(listOf(z.looseObject({ function: name, arguments: z.optional(z.unknown()) }), 1000)),
  function: maybe(name),
  error: maybe(z.looseObject({ message: z.optional(text) })),
});
export type LogMessage = z.infer<typeof message>;

const score = z.looseObject({ value: z.unknown(), answer: maybe(text), explanation: maybe(text) });

const token = z.looseObject({ token: text, logprob: z.number() });

const output = z.looseObject({
  choices: z.optional(
    listOf(
      z.looseObject({
        stop_reason: maybe(name),
        logprobs: maybe(z.looseObject({ content: maybe(listOf(token, 100_000)) })),
      }),
      1000,
    ),
  ),
});

export const sample = z.looseObject({
  id: z.union([name, z.number()]),
  epoch: z._default(z.int().check(z.gte(1), z.lte(1_000_000)), 1),
  messages: listOf(message, 10_000),
  target: z.optional(z.union([text, listOf(text, 1000)])),
  scores: maybe(mapOf(score)),
  metadata: maybe(mapOf(z.unknown())),
  output: maybe(output),
  attachments: maybe(mapOf(z.unknown())),
  events: maybe(z.custom<unknown[]>(Array.isArray)),
  store: maybe(mapOf(z.unknown())),
  error: maybe(z.looseObject({ message: z.optional(text) })),
  limit: maybe(z.looseObject({ type: z.optional(name) })),
});
export type LogSample = z.infer<typeof sample>;

export const header = z.looseObject({
  version: z.int().check(z.gte(1)),
  status: z.enum(['success', 'error', 'cancelled', 'started']),
  eval: z.looseObject({
    task: name,
    model: name,
    created: z.optional(name),
    dataset: z.optional(z.looseObject({ sample_ids: maybe(listOf(z.union([name, z.number()]), 1_000_000)) })),
  }),
});
export type LogHeader = z.infer<typeof header>;
