// `are_simulation_v1`: the JSON format of scenarios and traces (ARE, arXiv 2509.17158). Anything of another form never reaches a run.
// Unknown keys are dropped. The limits are the lab's: within them a run ends.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import * as z from 'zod/mini';
import { Documents } from '../documents.ts';
import { ScenarioError } from '../errors.ts';

export const TRACE_VERSION = 'are_simulation_v1';

/** Most characters of a file; events and apps of a scenario; simulated seconds of a run (a day), and since 1970 (year 9999). */
export const BOUNDS = {
  text: 64e6,
  events: 5000,
  apps: 200,
  /** Most dependencies of all events together: each is visited several times. */
  dependencies: 100_000,
  /** Most events of a run, and lines of its log. */
  completed: 100_000,
  /** Most entries of any list within an entry. */
  list: 2000,
  duration: 86_400,
  increment: 86_400,
  time: 253_402_300_799,
};

/** A list whose length is checked before its entries, since each invalid entry adds an error to memory. */
const listOf = <T extends z.ZodMiniType>(item: T, most: number = BOUNDS.list) =>
  z.pipe(
    z
      .unknown()
      .check(z.refine((value) => !Array.isArray(value) || value.length <= most, `at most ${most} entries are taken`)),
    z.array(item),
  );
const text = z.nullish(z.string());
const flag = z._default(z.boolean(), false);
const whole = z.int();
const time = z.number().check(z.gte(0), z.lte(BOUNDS.time));
/** Only the one of an event's two times that counts must not be negative; that is checked when the event is created. */
const before = z.number().check(z.lte(BOUNDS.time));
const ids = listOf(z.string());

const arg = z.object({ name: z.string(), value: text, value_type: text });
const action = z.object({
  action_id: z.string(),
  app: text,
  function: text,
  operation_type: text,
  args: z.nullish(listOf(arg)),
});
const event = z.object({
  class_name: z.string(),
  event_type: z.string(),
  event_time: z.nullable(before),
  event_id: z.string(),
  dependencies: ids,
  event_relative_time: z.nullable(before),
  action: z.nullish(action),
  event_time_comparator: text,
});
const completed = z.object({
  class_name: z.string(),
  event_type: z.string(),
  event_time: time,
  event_id: z.string(),
  dependencies: ids,
  event_relative_time: z.nullable(z.number()),
  action: z.nullish(action),
  metadata: z.nullish(
    z.object({ return_value: text, return_value_type: text, exception: text, exception_stack_trace: text }),
  ),
});
const app = z.object({ name: z.string(), class_name: text, app_state: z.nullish(z.record(z.string(), z.unknown())) });
const placeholder = z.object({
  parent_tool_name: z.string(),
  parent_turn_idx: whole,
  parent_event_id: z.string(),
  placeholder_turn_idx: whole,
  placeholder_event_id: z.string(),
});
const definition = z.object({
  scenario_id: z.string(),
  seed: z.nullish(whole),
  duration: z.nullish(z.number().check(z.gte(0), z.lte(BOUNDS.duration))),
  time_increment_in_seconds: z.nullish(whole.check(z.gte(1), z.lte(BOUNDS.increment))),
  start_time: z.nullish(time),
  run_number: z.nullish(whole),
  hints: z._default(
    listOf(z.object({ hint_type: z.string(), content: z.string(), associated_event_id: z.string() })),
    [],
  ),
  config: text,
  has_a2a_augmentation: flag,
  has_tool_augmentation: flag,
  has_env_events_augmentation: flag,
  has_exception: flag,
  exception_type: text,
  exception_message: text,
  tags: z.nullish(listOf(z.string())),
  hf_metadata: z.nullish(z.object({ dataset: z.string(), split: z.string(), revision: text })),
});
const engine = z.object({ model_name: z.optional(z.string()), provider: text, endpoint: text });
const optional = {
  text: z.optional(z.string()),
  flag: z.optional(z.boolean()),
  number: z.optional(z.number()),
  whole: z.optional(whole),
};
const runner = z.object({
  model: optional.text,
  model_provider: text,
  agent: text,
  scenario_creation_params: optional.text,
  scenario_multi_creation_params: optional.text,
  scenario_initialization_params: optional.text,
  scenario_multi_initialization_params: optional.text,
  oracle: optional.flag,
  export: optional.flag,
  wait_for_user_input_timeout: z.nullish(z.number()),
  output_dir: text,
  endpoint: text,
  max_turns: z.nullish(whole),
  judge_only: optional.flag,
  a2a_app_prop: optional.number,
  a2a_app_agent: optional.text,
  a2a_model: text,
  a2a_model_provider: text,
  a2a_endpoint: text,
  trace_dump_format: optional.text,
  use_custom_logger: optional.flag,
  simulated_generation_time_mode: optional.text,
  tool_augmentation_config: z.nullish(
    z.object({
      tool_failure_probability: optional.number,
      apply_tool_name_augmentation: optional.flag,
      apply_tool_description_augmentation: optional.flag,
    }),
  ),
  env_events_config: z.nullish(
    z.object({
      num_env_events_per_minute: optional.whole,
      env_events_seed: optional.whole,
      n_message_events_per_conversation: optional.whole,
      n_item_events_per_product: optional.whole,
      weight_per_app_class: z.optional(z.record(z.string(), z.number())),
    }),
  ),
  judge_engine_config: z.nullish(engine),
  max_scenario_duration: optional.whole,
  max_time_scenario_duration: optional.whole,
});

export const traceSchema = z.object({
  version: z.literal(TRACE_VERSION),
  metadata: z.object({
    definition,
    simulation: z.nullish(z.object({ agent_id: text, model_id: text })),
    annotation: z.nullish(
      z.object({
        annotation_id: text,
        annotator: text,
        validation_decision: text,
        comment: text,
        date: z._default(z.number(), 0),
      }),
    ),
    execution: z.nullish(z.object({ has_placeholder_conflicts: z.boolean(), placeholders: listOf(placeholder) })),
    runner_config: z.nullish(runner),
  }),
  world_logs: z._default(listOf(z.string(), BOUNDS.completed), []),
  apps: z._default(listOf(app, BOUNDS.apps), []),
  events: z._default(listOf(event, BOUNDS.events), []),
  completed_events: z._default(listOf(completed, BOUNDS.completed), []),
  context: text,
  augmentation: z.nullish(z.record(z.string(), z.unknown())),
});

/** Key of a loaded trace's document texts: copied with each copy of the trace, but in no file and no message. */
const DOCUMENTS = Symbol('documents');

export type Trace = z.infer<typeof traceSchema> & { readonly [DOCUMENTS]?: Documents };

export const withDocuments = (trace: Trace, documents: Documents): Trace => ({ ...trace, [DOCUMENTS]: documents });
export const documentsOf = (trace: Trace): Documents => trace[DOCUMENTS] ?? new Documents();

export type TraceEvent = Trace['events'][number];
export type TraceCompletedEvent = Trace['completed_events'][number];
export type TraceAction = z.infer<typeof action>;
export type ExecutionMetadata = NonNullable<Trace['metadata']['execution']>;

/** Parses a file. Throws ScenarioError with the place of the error. */
export const parseTrace = (json: string): Trace => atOnce(traceParts(json));

export function* traceParts(json: string): Parts<Trace> {
  if (json.length > BOUNDS.text) throw new ScenarioError('', `the file has more than ${BOUNDS.text} characters`);
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch (error) {
    throw new ScenarioError('', `the file is not JSON: ${(error as Error).message}`);
  }
  yield;
  return yield* checkedParts(value);
}

export const checkedTrace = (value: unknown): Trace => atOnce(checkedParts(value));

/** Checks long lists entry by entry up to the first error, and the rest as a whole. */
export function* checkedParts(value: unknown): Parts<Trace> {
  const long = {
    completed_events: yield* readLong(value, 'completed_events', completed, BOUNDS.completed),
    world_logs: yield* readLong(value, 'world_logs', z.string(), BOUNDS.completed),
    events: yield* readLong(value, 'events', event, BOUNDS.events),
  };
  const dependencies = long.events?.reduce((sum, { dependencies }) => sum + dependencies.length, 0) ?? 0;
  if (dependencies > BOUNDS.dependencies)
    throw new ScenarioError(
      'events',
      `they have ${dependencies} dependencies in all, ${BOUNDS.dependencies} are taken`,
    );
  const read = Object.fromEntries(Object.entries(long).filter(([, list]) => list !== null));
  const short = { ...(value as object), ...Object.fromEntries(Object.keys(read).map((key) => [key, []])) };
  const rest = checked(traceSchema, Object.keys(read).length > 0 ? short : value, []);
  yield;
  return { ...rest, ...read };
}

/** Null if there is no such list, or it is too long, which the whole schema then reports. */
function* readLong<T>(value: unknown, key: string, schema: z.ZodMiniType<T>, most: number): Parts<T[] | null> {
  const list =
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
  if (!Array.isArray(list) || list.length > most) return null;
  const entries: T[] = [];
  for (const [place, item] of list.entries()) {
    entries.push(checked(schema, item, [key, place]));
    yield;
  }
  return entries;
}

function checked<T>(schema: z.ZodMiniType<T>, value: unknown, path: readonly PropertyKey[]): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const at = pathText([...path, ...(issue?.path ?? [])]);
  throw new ScenarioError(at, issue ? wrongText(issue) : 'it is not of the format');
}

/** An error's text; the schema library's own texts are not loaded. */
function wrongText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `it has to be ${issue.expected === 'int' ? 'a whole number' : `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `it has to be ${issue.values.map(String).join(' or ')}`;
    case 'too_big':
      return `at most ${issue.maximum} is taken`;
    case 'too_small':
      return `at least ${issue.minimum} is taken`;
    case 'custom':
      return issue.message;
    default:
      return 'it is not of the format';
  }
}

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  );
