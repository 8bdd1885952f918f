// Creates and links events, and computes when they are due.
import type { App, Tool } from '../types.ts';
import type { Args } from '../value.ts';
import type {
  ActionEvent,
  Comparator,
  ConditionEvent,
  DescribedArg,
  OracleEvent,
  Predicate,
  ScenarioEvent,
  StopEvent,
  ValidationEvent,
} from './types.ts';

/** `time`: absolute, if the graph does not determine it. */
export interface When {
  readonly id: string;
  readonly delay?: number | null;
  readonly time?: number | null;
}

const linked = ({ id, delay = null, time = null }: When) => ({ id, delay, time, successors: [], dependencies: [] });

export const actionEvent = (
  when: When & { type: ActionEvent['type']; app: App; tool: Tool; args: Args },
): ActionEvent => ({
  kind: 'action',
  type: when.type,
  app: when.app,
  tool: when.tool,
  args: when.args,
  ...linked(when),
});

export const oracleEvent = (
  when: When & {
    appName: string;
    functionName: string;
    args: Args;
    described?: readonly DescribedArg[];
    comparator?: Comparator | null;
  },
): OracleEvent => ({
  kind: 'oracle',
  type: 'AGENT',
  appName: when.appName,
  functionName: when.functionName,
  args: when.args,
  described: when.described ?? [],
  comparator: when.comparator ?? null,
  ...linked(when),
});

interface ConditionOptions {
  readonly everyTicks?: number;
  readonly timeout?: number | null;
}

export const conditionEvent = (
  when: When & ConditionOptions & { name?: string; predicate: ConditionEvent['predicate'] },
): ConditionEvent => ({
  kind: 'condition',
  type: 'CONDITION',
  name: when.name ?? 'condition',
  predicate: when.predicate,
  everyTicks: when.everyTicks ?? 1,
  timeout: when.timeout ?? null,
  checks: 0,
  ...linked(when),
  id: checkId(when.id, 0),
});

export const validationEvent = (
  when: When & ConditionOptions & { milestones?: readonly Predicate[]; minefields?: readonly Predicate[] },
): ValidationEvent => ({
  kind: 'validation',
  type: 'VALIDATION',
  milestones: when.milestones ?? [],
  minefields: when.minefields ?? [],
  everyTicks: when.everyTicks ?? 1,
  timeout: when.timeout === undefined ? 1 : when.timeout,
  checks: 0,
  ...linked(when),
});

export const stopEvent = (when: When): StopEvent => ({ kind: 'stop', type: 'STOP', ...linked(when) });

/** A condition's id includes the number of its check. */
const checkId = (id: string, checks: number): string =>
  /CHECK_\d+/.test(id) ? id.replace(/CHECK_\d+/g, `CHECK_${checks}`) : `${id}-CHECK_${checks}`;

export function dependsOn<E extends ScenarioEvent>(event: E, dependencies: readonly ScenarioEvent[], delay = 0): E {
  if (!(delay >= 0)) throw new RangeError('A delay is not negative.');
  event.delay = delay;
  for (const dependency of dependencies) {
    dependency.successors.push(event);
    event.dependencies.push(dependency);
  }
  return event;
}

/** Whether its time is known: set directly, or computable because all dependencies have a time. */
const isReady = (event: ScenarioEvent): boolean =>
  event.time !== null || event.dependencies.every(({ time }) => time !== null);

/** Sets the event's time, if it has none: its delay after the last dependency, or after the start. False if a dependency has no time. */
export function schedule(event: ScenarioEvent, start: number): boolean {
  if (event.time !== null) return true;
  if (!isReady(event)) return false;
  const times = event.dependencies.map(({ time }) => time as number);
  event.time = (times.length === 0 ? start : times.reduce((a, b) => Math.max(a, b))) + (event.delay ?? 0);
  return true;
}

/** The condition that replaces this one for the next check: its successors then depend on the new one. */
export function nextCheck(event: ConditionEvent, increment: number): ConditionEvent {
  const next: ConditionEvent = {
    ...event,
    id: checkId(event.id, event.checks),
    time: (event.time as number) + event.everyTicks * increment,
  };
  replaceIn(event, next);
  return next;
}

export function nextValidation(event: ValidationEvent, increment: number): ValidationEvent {
  const next: ValidationEvent = { ...event, time: (event.time as number) + event.everyTicks * increment };
  replaceIn(event, next);
  return next;
}

/** The new event goes to the end of the list, as in the reference. */
function replaceIn(old: ScenarioEvent, next: ScenarioEvent): void {
  for (const successor of old.successors) {
    successor.dependencies = [...successor.dependencies.filter((event) => event !== old), next];
  }
}
