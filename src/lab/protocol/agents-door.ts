// Schemas of the calls that the page makes to the worker of agents' scenarios, and of that worker's calls to the page: shapes and limits.
// Links and files are also checked where they are read; packages/are has a scenario's own schema.
import { BOUNDS } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import {
  type AgentsCalls,
  type AgentsHost,
  callText,
  generated,
  integer,
  MODEL_AGENTS,
  name,
  question,
  recipe,
  text,
  windowName,
} from './agents.ts';

const MOST_ENTRIES = 1_000_000;

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('generated'), which: generated }),
  z.strictObject({ kind: z.literal('file'), text: text(BOUNDS.text), name, apps: z.optional(text(BOUNDS.text)) }),
  z.strictObject({ kind: z.literal('trace'), trace: z.unknown(), name, apps: z.optional(text(BOUNDS.text)) }),
]);

/** Parameters of each call by the page. */
export const CALLS = {
  load: z.strictObject({ source, window: windowName }),
  trace: z.strictObject({ most: integer(0, BOUNDS.text) }),
  check: z.strictObject({ trace: z.unknown() }),
  play: z.strictObject({ recipe }),
  look: z.strictObject({ place: integer(0, MOST_ENTRIES) }),
  refusal: z.strictObject({ call: callText }),
  exported: z.null(),
} satisfies Record<keyof AgentsCalls, z.ZodMiniType>;

/** Parameters of each call by the worker. */
export const HOST_CALLS = {
  entries: z.strictObject({
    from: integer(0, MOST_ENTRIES),
    entries: z.array(z.looseObject({ kind: z.enum(['call', 'notification', 'turn', 'end']), time: z.number() })),
  }),
  ready: z.strictObject({ agent: z.enum(MODEL_AGENTS) }),
  write: question,
} satisfies Record<keyof AgentsHost, z.ZodMiniType>;

type Served<T> = {
  readonly [K in keyof T]: T[K] extends (params: infer P) => unknown ? (params: P) => unknown : never;
};

/** Wraps each method in its schema: parameters that do not fit throw a FormatError that names the place, and nothing is run. */
export function guarded<T extends object>(schemas: Record<keyof T & string, z.ZodMiniType>, methods: Served<T>) {
  const guard = (name: keyof T & string) => (params: unknown) => {
    const found = schemas[name].safeParse(params);
    if (found.success) return (methods[name] as (params: unknown) => unknown)(params);
    const [issue] = found.error.issues;
    const place = [name, ...(issue?.path ?? [])].map(String).join('.');
    throw new FormatError(
      `The message ${place} is invalid: ${issue?.message ?? 'unknown'}.`,
      'Make it smaller, or reload the page.',
    );
  };
  return Object.fromEntries((Object.keys(methods) as (keyof T & string)[]).map((one) => [one, guard(one)]));
}
