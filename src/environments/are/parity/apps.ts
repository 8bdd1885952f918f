// The apps against the reference: what each class declares, tool by tool, and recorded scripts of calls with every result, error text,
// state and logged event.
import { catalogueOf } from '../catalogue.ts';
import { PythonError } from '../python-error.ts';
import { parsePythonJson } from '../python-json.ts';
import type { App, Logged } from '../types.ts';
import { type Arg, type Args, isDict, isList, plain, type Value } from '../value.ts';
import { AppWorld } from '../world.ts';
import { beginningOf } from './app-states.ts';
import { Bijection, differences } from './compare.ts';
import { countedDraws } from './seams.ts';
import type { Comparison } from './types.ts';

/** As the recording wrote it: numbers carry their marks, since type checks tell 3.0 from 3. */
interface Script {
  start_time: Arg;
  steps: readonly (
    | { advance: Arg }
    | { app: string; fn: string; args: Args; result?: Arg; error?: readonly [string, string] }
  )[];
  final_state: Readonly<Record<string, Arg>>;
  event_log: readonly { id: string; type: string; t: Arg; tool: string; op: string; failed: boolean }[];
}

export const compareCatalogue: Comparison = ({ json }, { classes }) =>
  Object.entries(json as Record<string, Value>).map(([className, expected]) => {
    const make = classes[className];
    const base = { file: 'tool_catalogue.json', name: className };
    if (!make) return { ...base, differences: [], missing: 'no such class' };
    return { ...base, differences: differences(expected, catalogueOf(make()) as unknown as Value, new Bijection()) };
  });

export const compareAppCalls: Comparison = ({ text }, { classes }) =>
  Object.entries(parsePythonJson(text) as unknown as Record<string, Script>).map(([name, script]) => {
    const base = { file: 'app_calls.json', name };
    const apps = Object.keys(script.final_state).map((className) => classes[className]?.());
    const known = apps.filter((app) => app !== undefined);
    if (known.length < apps.length) return { ...base, differences: [], missing: 'an app of the script is not there' };
    const beginning = beginningOf(name);
    for (const app of known) if (beginning[app.name]) app.loadState(beginning[app.name]!);
    return { ...base, differences: replay(script, known) };
  });

function replay(script: Script, apps: readonly App[]): string[] {
  const ids = new Bijection();
  const log: Logged[] = [];
  const start = plain(script.start_time) as number;
  let now = start;
  const world = new AppWorld({
    now: () => now,
    seed: 0,
    draws: countedDraws(),
    record: (logged) => void log.push(logged),
    // Recordings of calls have no environment; there a wait puts the clock back to the start.
    wait: () => {
      now = start;
    },
  }).add(...apps);
  const found: string[] = [];
  const compare = (expected: Arg, actual: Value | undefined, path: string) =>
    found.push(...differences(plain(expected), actual, ids, path));
  for (const [index, step] of script.steps.entries()) {
    if ('advance' in step) {
      now += plain(step.advance) as number;
      continue;
    }
    const outcome = called(world.app(step.app) as App, step.fn, here(step.args, ids) as Args);
    const expected: Arg = step.error ? { error: step.error } : { result: step.result ?? null };
    compare(expected, outcome, `steps[${index}] ${step.app}.${step.fn}`);
  }
  for (const app of apps) compare(script.final_state[app.name] ?? null, app.getState(), `final_state.${app.name}`);
  // The reference's log leaves the order of one moment open; ids are counted, so that calls can be told by when they began.
  const recorded = [...script.event_log].sort((a, b) => began(a.id) - began(b.id));
  const own = [...log].sort((a, b) => began(a.eventId) - began(b.eventId));
  compare(
    recorded.map((event) => ({ ...event, id: withoutId(event.id) })),
    own.map(listed),
    'event_log',
  );
  return found;
}

const began = (eventId: string): number => Number(/\d+$/.exec(eventId)?.[0] ?? 0);
const withoutId = (eventId: string): string => eventId.replace(/-id\d+$/, '');

const listed = ({ eventId, tool, app, time, outcome }: Logged): Value => ({
  id: withoutId(eventId),
  type: tool.logsAs,
  t: time,
  tool: `${app.className}__${tool.name}`,
  op: (tool.operation ?? '').toLowerCase(),
  failed: 'error' in outcome,
});

function called(app: App, name: string, args: Args): Value {
  try {
    return { result: app.call(name, args) };
  } catch (error) {
    if (error instanceof PythonError) return { error: [error.kind, error.message] };
    throw error;
  }
}

/** Arguments with the ids that stand here for those of the recording. */
function here(value: Arg, ids: Bijection): Arg {
  if (typeof value === 'string') return ids.here(value);
  if (isList(value)) return value.map((item) => here(item, ids));
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [ids.here(key), here(item, ids)]));
}
