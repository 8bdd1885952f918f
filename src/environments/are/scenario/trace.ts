// Traces: a scenario's file with what happened in a run of it, written and read again. What a call returned comes back as text, which
// is what the format keeps.
import type { AgentRun } from '../agents/run.ts';
import { ScenarioError } from '../errors.ts';
import type { CompletedEvent } from '../events/completed.ts';
import { EVENT_TYPES } from '../events/event-type.ts';
import { PythonError } from '../python-error.ts';
import { pythonText } from '../python-text.ts';
import type { App } from '../types.ts';
import { plainArgs } from '../value.ts';
import { outcomeOf } from '../verifier/explain.ts';
import type { Verdict } from '../verifier/verifier.ts';
import { exportCompleted } from './export.ts';
import { parseParameter } from './parameter.ts';
import type { Trace, TraceCompletedEvent } from './schema.ts';

export interface RunToKeep {
  readonly agent: string;
  readonly run: AgentRun;
  readonly log: readonly CompletedEvent[];
  readonly verdict: Verdict | null;
}

/** The scenario's own file, with the run in it. Apps stay as they were at the beginning, so that it can be played again. */
export function traceOfRun(scenario: Trace, { agent, run, log, verdict }: RunToKeep): Trace {
  const logs = run.steps.flatMap(({ time, app, tool, args, thought, outcome }, step) => {
    const base = { timestamp: time, agent_id: agent };
    const at = (kind: string, more: object) =>
      JSON.stringify({ log_type: kind, id: `${kind}-${step}`, ...base, ...more });
    const said = thought === null ? [] : [at('rationale', { content: thought })];
    const shown =
      'value' in outcome
        ? at('observation', { content: pythonText(outcome.value) })
        : at('error', { error: outcome.error.kind, exception: outcome.error.message });
    return [...said, at('tool_call', { tool_name: `${app}__${tool}`, tool_arguments: plainArgs(args) }), shown];
  });
  return {
    ...scenario,
    metadata: {
      ...scenario.metadata,
      simulation: { agent_id: agent, model_id: null },
      annotation: verdict && {
        annotator: 'verifier',
        // Nothing was decided where there was nothing to judge.
        validation_decision: { passed: 'Valid', failed: 'Invalid', 'nothing to judge': null }[outcomeOf(verdict)],
        comment: verdict.rationale,
        date: 0,
      },
    },
    world_logs: logs,
    completed_events: exportCompleted(log),
  };
}

/** The events of a trace as the verifier reads them. Throws ScenarioError. */
export function completedOf(trace: Trace, apps: readonly App[]): CompletedEvent[] {
  const classOf = new Map(trace.apps.map(({ name, class_name }) => [name, class_name || name]));
  return trace.completed_events
    .map((event, place) => completed(event, `completed_events[${place}]`, classOf, apps))
    .sort((a, b) => a.time - b.time);
}

function completed(
  event: TraceCompletedEvent,
  path: string,
  classOf: ReadonlyMap<string, string>,
  apps: readonly App[],
): CompletedEvent {
  const type = EVENT_TYPES.find((known) => known === event.event_type);
  if (!type) throw new ScenarioError(`${path}.event_type`, `there are no events of type ${event.event_type}`);
  const { action, metadata } = event;
  const name = action?.app ?? null;
  const functionName = action?.function ?? '';
  const app = apps.find((other) => other.name === name);
  const args = (action?.args ?? []).map(({ name: argName, value, value_type }, place) => {
    try {
      // An empty text is a value of a call, though not of a scenario's event.
      const text = value === '' && value_type === 'str' ? '' : parseParameter(value ?? null, value_type ?? null);
      return [argName, text] as const;
    } catch (error) {
      if (error instanceof PythonError) throw new ScenarioError(`${path}.action.args[${place}].value`, error.message);
      throw error;
    }
  });
  const error = metadata?.exception ?? null;
  return {
    type,
    id: event.event_id,
    time: event.event_time,
    action:
      name === null
        ? null
        : {
            appName: name,
            className: app?.className ?? classOf.get(name) ?? name,
            functionName,
            operation: operationOf(action?.operation_type) ?? app?.tool(functionName)?.operation ?? null,
            args: Object.fromEntries(args),
            resolved: {},
          },
    value: metadata?.return_value ?? null,
    error: error === null ? null : { kind: 'Exception', message: error },
  };
}

const operationOf = (text: string | null | undefined): 'READ' | 'WRITE' | null =>
  text?.toUpperCase() === 'READ' ? 'READ' : text?.toUpperCase() === 'WRITE' ? 'WRITE' : null;
