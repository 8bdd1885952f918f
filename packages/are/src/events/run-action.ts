// Makes an event's call: with placeholders replaced and arguments bound, logged as one event whatever the tool calls inside, even if it
// raises.
import { attributeError, keyError, outcomeOf } from '../python-error.ts';
import { bind } from '../tool.ts';
import type { Logged } from '../types.ts';
import { type Args, plainArgs } from '../value.ts';
import type { AppWorld } from '../world.ts';
import type { CompletedEvent, EventLog } from './completed.ts';
import { actionEvent } from './graph.ts';
import { resolvePlaceholders } from './placeholders.ts';
import type { ActionEvent, OracleEvent } from './types.ts';

export interface ActionHost {
  readonly world: AppWorld;
  readonly log: EventLog;
}

export function runAction({ world, log }: ActionHost, event: ActionEvent): CompletedEvent {
  const { app, tool, args } = event;
  const resolved = resolvePlaceholders(args, (id) => log.find(id));
  const outcome = outcomeOf(() => {
    const bound = bind(tool, Object.keys(resolved).length > 0 ? resolved : args);
    return world.quietly(() => tool.run(app, plainArgs(bound)));
  });
  const call = { app, tool, args, eventId: event.id, time: event.time as number, outcome };
  return completed(event.type, call, resolved);
}

/** Makes the call of an oracle's event, with defaults. Throws PythonError if there is no such call. */
export function oracleAction({ world }: ActionHost, event: OracleEvent): ActionEvent {
  const app = world.app(event.appName);
  if (!app) throw keyError(event.appName);
  const tool = app.tool(event.functionName);
  if (!tool) throw attributeError(`'${app.className}' object has no attribute '${event.functionName}'`);
  return actionEvent({ id: event.id, time: event.time, type: 'AGENT', app, tool, args: bind(tool, event.args) });
}

/** Logs a direct call: its arguments are bound, and placeholders in them are not replaced. */
export const completedCall = (call: Logged): CompletedEvent => completed(call.tool.logsAs, call, {});

const completed = (
  type: CompletedEvent['type'],
  { app, tool, args, eventId, time, outcome }: Logged,
  resolved: Args,
): CompletedEvent => ({
  type,
  id: eventId,
  time,
  action: {
    appName: app.name,
    className: app.className,
    functionName: tool.name,
    operation: tool.operation,
    args,
    resolved,
  },
  value: 'value' in outcome ? outcome.value : null,
  error: 'error' in outcome ? outcome.error : null,
});
