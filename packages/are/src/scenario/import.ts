// Builds a scenario from a trace's JSON: its apps with their state and its graph of events. Each call builds new ones, since a run changes
// both. Invalid content is a ScenarioError with its place.
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import { ScenarioError } from '../errors.ts';
import { actionEvent, conditionEvent, oracleEvent } from '../events/graph.ts';
import { COMPARATORS, type Comparator, type DescribedArg, type ScenarioEvent } from '../events/types.ts';
import { attributeError, PythonError, pythonErrorOf, valueError } from '../python-error.ts';
import type { App, AppClasses, FileSystem } from '../types.ts';
import type { Arg, Values } from '../value.ts';
import { Authoring, ENV_PREDECESSOR, type NewEvent } from './authoring.ts';
import { exportedCondition } from './exported-condition.ts';
import { MissingAppsError, missingApps } from './missing-apps.ts';
import { parseParameter } from './parameter.ts';
import { documentsOf, type Trace, type TraceAction, type TraceEvent } from './schema.ts';

export interface Scenario {
  readonly id: string;
  readonly seed: number;
  /** Simulated seconds since 1970. */
  readonly start: number;
  /** Simulated seconds. */
  readonly duration: number;
  readonly increment: number;
  readonly tags: readonly string[];
  readonly apps: readonly App[];
  /** Events in an order in which each follows its dependencies. */
  readonly events: readonly ScenarioEvent[];
  /**
   * Apps of the file that could not be created, and why: as in the reference they are left out, and the scenario runs without them. Also
   * documents that could not be read.
   */
  readonly skipped: readonly string[];
}

/** Simulated seconds of a scenario without a duration. */
export const DEFAULT_DURATION = 1000;
const TAGS = [
  ...['Planning', 'Memory', 'Collaboration', 'Exploration', 'UnitTest', 'PromptInjection', 'Universe', 'Safety'],
  ...['Adaptability', 'Ambiguity', 'Execution', 'Search', 'Time', 'Security'],
];

export const makeScenario = (trace: Trace, classes: AppClasses): Scenario => atOnce(scenarioParts(trace, classes));

export function* scenarioParts(trace: Trace, classes: AppClasses): Parts<Scenario> {
  const { definition } = trace.metadata;
  const missing = missingApps(trace);
  if (missing) throw new MissingAppsError(trace, missing);
  const start = definition.start_time ?? 0;
  const tags = definition.tags ?? [];
  const { apps, skipped } = yield* makeApps(trace, classes);
  return {
    id: definition.scenario_id,
    seed: definition.seed ?? 0,
    start,
    duration: definition.duration ?? DEFAULT_DURATION,
    increment: definition.time_increment_in_seconds ?? 1,
    // One unknown tag drops all tags, as in the reference.
    tags: tags.every((tag) => TAGS.includes(tag)) ? tags : [],
    apps,
    events: yield* makeEvents(trace, apps, start),
    skipped,
  };
}

function* makeApps(trace: Trace, classes: AppClasses): Parts<{ apps: App[]; skipped: string[] }> {
  const apps: App[] = [];
  const documents = documentsOf(trace);
  const skipped: string[] = documents.problems;
  for (const [place, { name, class_name, app_state }] of trace.apps.entries()) {
    const className = class_name || name;
    const make = Object.hasOwn(classes, className) ? classes[className] : undefined;
    if (apps.some((app) => app.name === name))
      throw new ScenarioError(`apps[${place}].name`, `there is another app ${name}`);
    if (!make) {
      skipped.push(`${name}: there is no class ${className}`);
      continue;
    }
    try {
      const app = make(name);
      app.loadState((app_state ?? {}) as Values);
      if (app.provides.includes('FILE_SYSTEM')) (app as App & FileSystem).documents = documents;
      apps.push(app);
    } catch (raised) {
      const error = pythonErrorOf(raised);
      if (error === null) throw raised;
      skipped.push(`${name}: its state cannot be loaded: ${error.message}`);
    }
    yield;
  }
  const system = Object.hasOwn(classes, 'SystemApp') ? classes.SystemApp : undefined;
  if (system && !apps.some(({ className }) => className === 'SystemApp')) apps.push(system());
  return { apps, skipped };
}

/** Creates events in Kahn's order: first those without dependencies, then each as soon as all its dependencies exist. */
function* makeEvents(trace: Trace, apps: readonly App[], start: number): Parts<ScenarioEvent[]> {
  const places = new Map<string, number>();
  for (const [place, { event_id }] of trace.events.entries()) {
    if (places.has(event_id))
      throw new ScenarioError(`events[${place}].event_id`, `there is another event ${event_id}`);
    places.set(event_id, place);
  }
  const missing = trace.events.map(({ dependencies }) => dependencies.length);
  const followers = new Map<string, number[]>();
  for (const [place, { dependencies }] of trace.events.entries()) {
    for (const id of dependencies) {
      const list = followers.get(id);
      if (list) list.push(place);
      else followers.set(id, [place]);
    }
  }
  const made = new Map<string, ScenarioEvent>();
  const making: Making = { trace, apps, made, authoring: new Authoring(start) };
  const ready = trace.events.flatMap((_, place) => (missing[place] === 0 ? [place] : []));
  // The list grows during the loop.
  for (const place of ready) {
    const event = trace.events[place] as TraceEvent;
    const result = makeEvent(event, `events[${place}]`, making);
    made.set(result.id, result);
    making.authoring.add(result);
    yield;
    for (const next of followers.get(event.event_id) ?? []) {
      missing[next] = (missing[next] as number) - 1;
      if (missing[next] === 0) ready.push(next);
    }
  }
  if (made.size < trace.events.length) {
    const place = missing.findIndex((count) => count > 0);
    throw new ScenarioError(
      `events[${place}].dependencies`,
      `it depends on an event that is not there, or on itself (got ${made.size} events, expected ${trace.events.length} events)`,
    );
  }
  return [...made.values()];
}

interface Making {
  readonly trace: Trace;
  readonly apps: readonly App[];
  readonly made: ReadonlyMap<string, ScenarioEvent>;
  readonly authoring: Authoring;
}

function makeEvent(event: TraceEvent, path: string, making: Making): ScenarioEvent {
  const type = event.event_type;
  if (type !== 'AGENT' && type !== 'ENV' && type !== 'USER' && type !== 'CONDITION') {
    throw new ScenarioError(`${path}.event_type`, 'event_type must be one of AGENT, ENV, USER, CONDITION');
  }
  return named(path, () => {
    const time = event.event_relative_time === null ? event.event_time : null;
    const added: NewEvent = {
      type,
      functionName: event.action?.function ?? '',
      dependencies: event.dependencies,
      delay: event.event_relative_time,
      time,
    };
    making.authoring.check(added);
    if (event.event_relative_time !== null && event.event_relative_time < 0) {
      throw valueError('event_relative_time must be non-negative.');
    }
    if (time !== null && time < 0) throw valueError('event_time must be non-negative.');
    const delay = event.event_relative_time === null && time === null ? 0 : event.event_relative_time;
    const result = ofType(event, path, { ...added, delay }, making);
    for (const id of event.dependencies) {
      const before = making.made.get(id) as ScenarioEvent;
      result.dependencies.push(before);
      before.successors.push(result);
    }
    return result;
  });
}

function ofType(event: TraceEvent, path: string, { type, delay, time }: NewEvent, making: Making): ScenarioEvent {
  const when = { id: event.event_id, delay, time };
  const appName = event.action?.app ?? '';
  const functionName = event.action?.function ?? '';
  const comparator = COMPARATORS.find((name) => name === event.event_time_comparator) ?? null;
  const given = lastOfEach(event.action?.args ?? []);
  const args = argsOf(given, `${path}.action.args`);
  if (type === 'CONDITION') {
    const made = conditionEvent({
      ...when,
      ...exportedCondition(functionName, making.trace.metadata.execution ?? null),
    });
    made.id = event.event_id;
    return made;
  }
  if (type === 'AGENT') {
    const described = [...given.values()].map(({ arg }) => arg);
    return oracleEvent({ ...when, appName, functionName, args, described, comparator });
  }
  if (comparator !== null) throw noComparator(comparator);
  const app = making.apps.find(({ name }) => name === appName);
  if (!app) throw valueError(`App ${appName} not found in scenario.`);
  const tool = app.tool(functionName);
  if (!tool) throw attributeError(`'${app.className}' object has no attribute '${functionName}'`);
  return actionEvent({ ...when, type, app, tool, args });
}

const noComparator = (_: Comparator) =>
  valueError("event_time_comparator is only supported for events of type 'EventType.AGENT'.");

/** Arguments by name: of two with the same name the later one counts, at the position of the first; the other is not read. */
function lastOfEach(args: NonNullable<TraceAction['args']>): ReadonlyMap<string, { arg: DescribedArg; place: number }> {
  const known = new Map<string, { arg: DescribedArg; place: number }>();
  for (const [place, { name, value = null, value_type = null }] of args.entries())
    known.set(name, { arg: { name, value, value_type }, place });
  return known;
}

function argsOf(given: ReturnType<typeof lastOfEach>, path: string): Record<string, Arg> {
  return Object.fromEntries(
    [...given].map(([name, { arg, place }]) => [
      name,
      named(`${path}[${place}].value`, () => parseParameter(arg.value, arg.value_type)),
    ]),
  );
}

/** Remedy for exports of scenarios that were written as programs, such as the reference's own tutorials. */
const ENV_REMEDY =
  'An event of the environment follows exactly one other: of the user, of the environment, a condition, or a message to the user. ' +
  'Make what begins the scenario a USER event, and let this one depend on it. The reference refuses such a file, too.';

/** Adds the place in the file to the error that the reference would raise. */
function named<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PythonError) {
      const isEnvRoot = error.message === ENV_PREDECESSOR;
      throw new ScenarioError(path, error.message, isEnvRoot ? ENV_REMEDY : undefined);
    }
    throw error;
  }
}
