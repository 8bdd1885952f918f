// What is let in of what the page says to the worker of agents' scenarios, and of what that worker asks of the page: shapes and bounds.
// Links and files are checked where they are read as well; a scenario's own schema is packages/are's.
import { NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { BOUNDS } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import {
  type AgentsCalls,
  type AgentsHost,
  MODEL_AGENTS,
  PAGE_PARTS,
  PLAYERS,
  WINDOWS,
  type WindowName,
} from './agents.ts';

const text = (most: number) => z.string().check(z.maxLength(most));
const integer = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));

/** Of a seed, a number, an act. */
const count = integer(0, 1_000_000);
/** Of an app, a tool, a file; a model may call what is no name at all. */
const name = text(10_000);
/** Arguments and a thought, as text. */
const long = text(1_000_000);
/** Acts of one run: as many actions, and idling between them. */
const MOST_ACTS = 20_000;
const MOST_EDITS = 1000;
/** Of a question: what a conversation, or a text that is gone on from, may have. */
const MOST_ASKED = 16_000_000;
const MOST_TURNS = 100_000;
const MOST_ENTRIES = 1_000_000;

const windowName = z.enum(Object.keys(WINDOWS) as [WindowName, ...WindowName[]]);
const call = z.strictObject({ app: name, tool: name, args: long, thought: long });
const edit = z.extend(call, { at: count });
const recipe = z.strictObject({
  agent: z.enum(PLAYERS),
  seed: count,
  noise: z.enum(NOISE_LEVELS),
  window: windowName,
  maxSteps: integer(1, 10_000),
  edits: z.array(edit).check(z.maxLength(MOST_EDITS)),
  temperature: z.number().check(z.gte(0), z.lte(10)),
  a2a: z.number().check(z.gte(0), z.lte(1)),
  mcp: z.nullable(text(2000)),
  known: z.nullable(
    z.strictObject({ acts: z.array(z.nullable(call)).check(z.maxLength(MOST_ACTS)), goesOn: z.boolean() }),
  ),
});
const which = z.strictObject({
  split: z.enum(SPLITS),
  seed: count,
  index: count,
  isSmall: z.boolean(),
  part: z.enum(PAGE_PARTS),
});
const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('generated'), which }),
  z.strictObject({ kind: z.literal('file'), text: text(BOUNDS.text), name, apps: z.optional(text(BOUNDS.text)) }),
  z.strictObject({ kind: z.literal('trace'), trace: z.unknown(), name, apps: z.optional(text(BOUNDS.text)) }),
]);

/** What each call of the page's may bring. */
export const CALLS = {
  load: z.strictObject({ source, window: windowName }),
  trace: z.strictObject({ most: integer(0, BOUNDS.text) }),
  check: z.strictObject({ trace: z.unknown() }),
  play: z.strictObject({ recipe }),
  look: z.strictObject({ place: integer(0, MOST_ENTRIES) }),
  refusal: z.strictObject({ call }),
  exported: z.null(),
} satisfies Record<keyof AgentsCalls, z.ZodMiniType>;

const turn = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: text(MOST_ASKED) });

/** What each call of the worker's may bring. */
export const HOST_CALLS = {
  entries: z.strictObject({
    from: integer(0, MOST_ENTRIES),
    entries: z.array(z.looseObject({ kind: z.enum(['call', 'notification', 'turn', 'end']), time: z.number() })),
  }),
  ready: z.strictObject({ agent: z.enum(MODEL_AGENTS) }),
  write: z.strictObject({
    act: integer(0, MOST_ACTS),
    agent: z.enum(MODEL_AGENTS),
    ask: z.union([text(MOST_ASKED), z.array(turn).check(z.minLength(1), z.maxLength(MOST_TURNS))]),
    stops: z.array(text(100)).check(z.maxLength(20)),
    seed: z.int().check(z.gte(0)),
    temperature: z.number().check(z.gte(0), z.lte(10)),
    maxNew: integer(1, 100_000),
  }),
} satisfies Record<keyof AgentsHost, z.ZodMiniType>;

type Served<T> = {
  readonly [K in keyof T]: T[K] extends (params: infer P) => unknown ? (params: P) => unknown : never;
};

/** The methods, each behind its schema: what does not fit is a FormatError that names the place, and nothing is run. */
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
