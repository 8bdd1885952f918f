// Traces: a scenario's file with the events of a run, written and read again. The format keeps a call's result as text.

import { ScenarioError } from '../errors.ts';
import { type CompletedEvent, EVENT_TYPES } from '../events/completed.ts';
import { PythonError } from '../python-error.ts';
import { pythonText } from '../python-text.ts';
import { exportCompleted } from '../scenario/export.ts';
import { parseParameter } from '../scenario/parameter.ts';
import type { Trace, TraceCompletedEvent } from '../scenario/schema.ts';
import type { App } from '../types.ts';
import { plainArgs } from '../value.ts';
import { outcomeOf } from '../verifier/explain.ts';
import type { Verdict } from '../verifier/verifier.ts';
import type { AgentRun } from './run.ts';
import type { Exchange } from './types.ts';

export interface RunToKeep {
  readonly agent: string;
  /** Null for an agent without a model. */
  readonly model: { readonly name: string | null; readonly exchanges: readonly Exchange[] } | null;
  readonly run: Pick<AgentRun, 'steps'>;
  readonly log: readonly CompletedEvent[];
  readonly verdict: Verdict | null;
}

/** Most characters of prompts in a trace; later prompts are left out, so that the file can be read again. */
const MOST_PROMPTS = 24e6;

/** The scenario's own file with the run added. Apps keep their initial state, so the file can be played again. */
export function traceOfRun(scenario: Trace, { agent, model, run, log, verdict }: RunToKeep): Trace {
  const at = (kind: string, place: number | string, timestamp: number, more: object) =>
    JSON.stringify({ log_type: kind, id: `${kind}-${place}`, timestamp, agent_id: agent, ...more });
  const error = (place: number | string, time: number, { kind, message }: { kind: string; message: string }) =>
    at('error', place, time, { error: kind, exception: message, category: kind, agent });
  const exchanges = exchangeLogs(model?.exchanges ?? [], at, error);
  const logs = run.steps.flatMap(({ act, time, app, tool, args, thought, outcome }, step) => {
    const rationale = thought === null ? [] : [at('rationale', step, time, { content: thought })];
    const shown =
      'value' in outcome
        ? at('observation', step, time, { content: pythonText(outcome.value) })
        : error(step, time, outcome.error);
    const called = at('tool_call', step, time, { tool_name: `${app}__${tool}`, tool_arguments: plainArgs(args) });
    return [...exchanges.upTo(act), ...rationale, called, shown];
  });
  return {
    ...scenario,
    metadata: {
      ...scenario.metadata,
      simulation: { agent_id: agent, model_id: model?.name ?? null },
      annotation: verdict && {
        annotator: 'verifier',
        // Without anything to judge there is no decision.
        validation_decision: { passed: 'Valid', failed: 'Invalid', 'nothing to judge': null }[outcomeOf(verdict)],
        comment: verdict.rationale,
        date: 0,
      },
    },
    world_logs: [...logs, ...exchanges.upTo(Number.POSITIVE_INFINITY)],
    completed_events: exportCompleted(log),
  };
}

type Log = (kind: string, place: number | string, time: number, more: object) => string;
type ErrorLog = (place: number | string, time: number, fault: { kind: string; message: string }) => string;

/** Model calls and answers in the format of the reference's viewer; returned act by act, each once. */
function exchangeLogs(exchanges: readonly Exchange[], at: Log, error: ErrorLog): { upTo(act: number): string[] } {
  let next = 0;
  let written = 0;
  const logsOf = ({ time, input, output, fault, ...took }: Exchange, place: number): string[] => {
    const [first, task] = input;
    const opening = [
      ...(first?.role === 'system' ? [at('system_prompt', 0, time, { content: first.content })] : []),
      ...(task ? [at('task', 0, time, { content: task.content, attachments: [] })] : []),
    ];
    const before = exchanges[place - 1]?.input.length ?? 0;
    written += input.reduce((sum, { content }) => sum + content.length, 0);
    const isWithinLimit = written <= MOST_PROMPTS;
    const content = isWithinLimit
      ? input
      : [{ role: 'system', content: `(${before} messages as in the prompt before)` }, ...input.slice(before)];
    return [
      ...(place === 0 ? opening : []),
      at('step', place, time, { iteration: place }),
      at('llm_input', place, time, { content }),
      at('llm_output', place, time, {
        content: output,
        prompt_tokens: took.inputTokens,
        completion_tokens: took.outputTokens,
        total_tokens: took.inputTokens + took.outputTokens,
        reasoning_tokens: 0,
        completion_duration: took.seconds,
      }),
      ...(fault === null ? [] : [error(`format-${place}`, time, fault)]),
    ];
  };
  return {
    upTo(act) {
      const logs: string[] = [];
      for (let one = exchanges[next]; one && one.act <= act; one = exchanges[next]) logs.push(...logsOf(one, next++));
      return logs;
    },
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
      // An empty text is a valid value of a call, though not of a scenario's event.
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
