// Compares the apps with the reference: each class's declared tools, and recorded scripts of calls with every result, error text, state and
// logged event.
import { catalogueOf } from '../../catalogue.ts';
import { Environment } from '../../environment.ts';
import { toolNameOf } from '../../events/completed.ts';
import { parsePythonJson } from '../../python-json.ts';
import type { App, AppClasses } from '../../types.ts';
import { type Args, plain, plainArgs, type Value, type Values } from '../../value.ts';
import { bestChoice, callResult, entriesOf, listOf, missingCase } from './calling.ts';
import { Bijection, differences } from './compare.ts';
import type { Comparison, ParityCase } from './types.ts';
import { countedDraws } from './types.ts';

const makeApp = (classes: AppClasses, className: string): App | undefined =>
  Object.hasOwn(classes, className) ? classes[className]?.(className) : undefined;

export const compareCatalogue: Comparison = ({ json }, { classes }) =>
  entriesOf(json).map(([className, expected]) => {
    const file = 'tool_catalogue.json';
    const app = makeApp(classes, className);
    if (!app) return missingCase(file, className, `there is no class ${className}`);
    // The catalogue is plain data; its interface only lacks an index signature.
    const actual = catalogueOf(app) as unknown as Value;
    return { file, name: className, differences: differences(expected, actual, new Bijection()) };
  });

export const compareAppCalls: Comparison = ({ text }, { classes }) =>
  Object.entries(parsePythonJson(text) as Args).map(([name, script]) => compareScript(name, script as Args, classes));

/** An app's initial state is not recorded. It is either empty, or contains the final entries whose ids no call drew. */
function compareScript(name: string, script: Args, classes: AppClasses): ParityCase {
  const file = 'app_calls.json';
  const names = Object.keys(script.final_state as Args);
  const unknown = names.find((className) => !Object.hasOwn(classes, className));
  if (unknown !== undefined) return missingCase(file, name, `there is no class ${unknown}`);
  const found = bestChoice([false, true], (isFilled) => {
    const ids = new Bijection();
    const actual = runScript(script, names, { classes, isFilled, ids });
    return differences(plain(script), actual, ids);
  });
  return { file, name, differences: found.map((difference) => withTool(difference, listOf(script.steps))) };
}

/** Adds to `.steps[3]` the tool that was called there. */
const withTool = (difference: string, steps: readonly Args[]): string =>
  difference.replace(/^\.steps\[(\d+)\]/, (path, place) => {
    const step = steps[Number(place)];
    return step?.fn === undefined ? path : `${path} ${String(step.app)}.${String(step.fn)} `;
  });

interface ScriptOptions {
  readonly classes: AppClasses;
  readonly isFilled: boolean;
  readonly ids: Bijection;
}

function runScript(script: Args, names: readonly string[], { classes, isFilled, ids }: ScriptOptions): Value {
  const start = Number(plain(script.start_time ?? 0));
  // Without the event loop, messages of the user stay in the inbox, and a wait returns at the first of them.
  const environment = new Environment({ start, duration: null, draws: countedDraws(), verbosity: 'MEDIUM' });
  const apps = names.map((className) => makeApp(classes, className) as App);
  environment.register(apps);
  for (const app of apps) {
    const last = (script.final_state as Args)[app.name];
    if (isFilled && last) app.loadState(withoutDrawn(plain(last)) as Values);
  }
  const steps = listOf(script.steps).map((step) => {
    if (step.advance !== undefined) {
      environment.real.now += Number(plain(step.advance));
      return plain(step);
    }
    const args = ids.translated(step.args ?? {}) as Args;
    const outcome = callResult(environment, String(step.app), String(step.fn), args);
    // Learns the ids of the call's result immediately, because later calls refer to them.
    differences(plain(step.result ?? null), outcome.result ?? null, ids);
    return { app: plain(step.app ?? null), fn: plain(step.fn ?? null), args: plainArgs(args), ...outcome };
  });
  return {
    start_time: start,
    steps,
    final_state: Object.fromEntries(apps.map((app) => [app.name, app.getState()])),
    event_log: environment.log
      .list()
      .map((event) => ({
        id: event.id,
        type: event.type,
        t: event.time,
        tool: toolNameOf(event),
        op: event.action?.operation?.toLowerCase() ?? null,
        failed: event.error !== null,
      })),
  };
}

const isDrawn = (text: Value): boolean => typeof text === 'string' && /^id\d{4,}$/.test(text);

function withoutDrawn(value: Value): Value {
  if (Array.isArray(value)) return value.filter((item) => !hasDrawn(item)).map(withoutDrawn);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isDrawn(key))
      .map(([key, item]) => [key, withoutDrawn(item)]),
  );
}
const hasDrawn = (item: Value): boolean =>
  isDrawn(item) || (item !== null && typeof item === 'object' && Object.values(item).some(isDrawn));
