// Writes a scenario or a run as `are_simulation_v1`. Every value is a text there: lists and dicts as JSON, anything else as Python's str(),
// so a trace contains less than the run: results are read back as text.
import type { CompletedEvent } from '../events/completed.ts';
import type { ScenarioEvent } from '../events/types.ts';
import { pythonText } from '../python-text.ts';
import { typeName } from '../python-type.ts';
import type { App } from '../types.ts';
import { type Arg, type Args, isDict, isList, plain } from '../value.ts';
import type { Trace, TraceAction, TraceCompletedEvent, TraceEvent } from './schema.ts';

/** A file's text: indented by two spaces, with a final newline. */
export const traceText = (trace: Trace): string => `${JSON.stringify(trace, null, 2)}\n`;

export const exportApps = (apps: readonly App[]): Trace['apps'] =>
  apps.map((app) => ({ name: app.name, class_name: app.className, app_state: app.getState() }));

/** Validations are left out, since they are functions. */
export const exportEvents = (events: readonly ScenarioEvent[]): TraceEvent[] =>
  events.filter(({ kind }) => kind !== 'validation').map(exportEvent);

/** Names in scenario files. */
export const CLASS_NAMES: Readonly<Record<ScenarioEvent['kind'], string>> = {
  action: 'Event',
  oracle: 'OracleEvent',
  condition: 'ConditionCheckEvent',
  validation: 'ValidationEvent',
  stop: 'StopEvent',
};

function exportEvent(event: ScenarioEvent): TraceEvent {
  return {
    class_name: CLASS_NAMES[event.kind],
    event_type: event.type,
    event_time: event.delay === null ? event.time : null,
    event_id: event.id,
    dependencies: event.dependencies.map(({ id }) => id),
    event_relative_time: event.delay,
    action: actionOf(event),
    ...(event.kind === 'oracle' && { event_time_comparator: event.comparator }),
  };
}

function actionOf(event: ScenarioEvent): TraceAction | null {
  if (event.kind === 'action') {
    return {
      action_id: event.id,
      app: event.app.name,
      function: event.tool.name,
      operation_type: event.tool.operation,
      args: exportArgs(event.args),
    };
  }
  if (event.kind === 'oracle') {
    const args = event.described.map((arg) => ({ ...arg }));
    return { action_id: '', app: event.appName, function: event.functionName, operation_type: null, args };
  }
  return event.kind === 'condition' ? { action_id: event.id, function: event.name } : null;
}

const exportArgs = (args: Args) =>
  Object.entries(args).map(([name, value]) => ({
    name,
    value: value === null ? null : isList(value) || isDict(value) ? JSON.stringify(plain(value)) : pythonText(value),
    value_type: value === null ? null : typeName(value),
  }));

export const exportCompleted = (events: readonly CompletedEvent[]): TraceCompletedEvent[] =>
  events
    .filter(({ type }) => type !== 'VALIDATION')
    .map((event) => ({
      class_name: 'CompletedEvent',
      event_type: event.type,
      event_time: event.time,
      event_id: event.id,
      dependencies: [],
      event_relative_time: null,
      action: event.action
        ? {
            action_id: event.id,
            app: event.action.appName,
            function: event.action.functionName,
            operation_type: event.action.operation,
            args: exportArgs(Object.keys(event.action.resolved).length > 0 ? event.action.resolved : event.action.args),
          }
        : { action_id: event.id, function: 'condition' },
      metadata: {
        return_value: isTruthy(event.value) ? pythonText(event.value) : null,
        return_value_type: isTruthy(event.value) ? typeName(event.value) : null,
        exception: event.error?.message ?? null,
        exception_stack_trace: event.error && `${event.error.kind}: ${event.error.message}`,
      },
    }));

/** Python's truth value: an empty or zero value is exported as missing. */
const isTruthy = (value: Arg): boolean =>
  isList(value) ? value.length > 0 : isDict(value) ? Object.keys(value).length > 0 : Boolean(plain(value));
