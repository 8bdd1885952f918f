// Why a turn was rejected: as data, for users who want the differences, and as the reference's text.
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { pythonText } from '../python-text.ts';
import type { Args } from '../value.ts';

type AttemptReason = 'causality' | 'already matched' | 'tool judge reject';

/** The first reason why two calls do not match. */
export type Mismatch =
  | { readonly kind: 'time'; readonly agent: number; readonly oracle: number; readonly comparator: string | null }
  | { readonly kind: 'argument'; readonly name: string; readonly checker: string }
  | { readonly kind: 'text'; readonly names: readonly string[] }
  | { readonly kind: 'tool' };

export interface Attempt {
  readonly agentEventId: string;
  readonly reason: AttemptReason;
  /** Why a rejected call does not match. */
  readonly mismatch?: Mismatch;
  /** Arguments of the agent's call. */
  readonly args: Args;
}

export type Failure =
  | {
      readonly kind: 'counts';
      /** Number of calls by tool, without messages to the user. */
      readonly agent: ReadonlyMap<string, number>;
      readonly oracle: ReadonlyMap<string, number>;
      readonly agentMessages: number;
      readonly oracleMessages: number;
      readonly extraAllowed: number;
    }
  | {
      readonly kind: 'oracle event';
      readonly oracleEventId: string;
      readonly toolName: string;
      readonly args: Args;
      readonly attempts: readonly Attempt[];
    }
  | { readonly kind: 'environment event'; readonly oracleEventId: string }
  | { readonly kind: 'turns'; readonly turn: number; readonly count: number }
  /** The oracle makes no call: there is nothing to compare an agent with. */
  | { readonly kind: 'no oracle' };

/** Most characters of an argument in a text. */
const MAX_ARGUMENT = 200;

/** The tools that one side called more often, with the counts of both; the agent's surplus first. */
export function surplus(
  agent: ReadonlyMap<string, number>,
  oracle: ReadonlyMap<string, number>,
): { tool: string; agent: number; oracle: number }[] {
  const more = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) =>
    [...a].filter(([tool, count]) => count > (b.get(tool) ?? 0)).map(([tool]) => tool);
  return [...more(agent, oracle), ...more(oracle, agent)].map((tool) => ({
    tool,
    agent: agent.get(tool) ?? 0,
    oracle: oracle.get(tool) ?? 0,
  }));
}

export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'counts':
      return countsText(failure);
    case 'oracle event':
      return oracleEventText(failure);
    case 'environment event':
      return `Failure: Oracle env/user event ${failure.oracleEventId} could not be matched. This is likely a bug !`;
    case 'no oracle':
      return 'The oracle makes no call, so that there is nothing to compare a run with.';
    case 'turns':
      return `Validation called at turn ${failure.turn} but nb_turns is ${failure.count}`;
  }
}

function countsText(failure: Extract<Failure, { kind: 'counts' }>): string {
  const lines: string[] = [];
  const differing = surplus(failure.agent, failure.oracle);
  if (differing.length > 0) {
    lines.push('Agent and oracle counters do not match for the following tools:');
    for (const { tool, agent, oracle } of differing) {
      lines.push(`- Tool '${tool}': Agent count ${agent}, Oracle count ${oracle}`);
    }
  }
  const missing = failure.oracleMessages - failure.agentMessages;
  if (missing > 0) lines.push(`Oracle sent ${missing} more message(s) than agent.`);
  if (-missing > failure.extraAllowed) {
    lines.push(`Agent message to user count exceeds oracle AUI count by more than ${failure.extraAllowed}.`);
  }
  return `Failure: \n${lines.join('\n')}`;
}

function oracleEventText(failure: Extract<Failure, { kind: 'oracle event' }>): string {
  const args = Object.entries(failure.args).map(([name, value]) => {
    const line = `-${name}: ${pythonText(value)}`;
    return line.length > MAX_ARGUMENT ? `${line.slice(0, MAX_ARGUMENT)}...` : line;
  });
  const attempts = failure.attempts.map(
    ({ agentEventId, reason }) =>
      `-Failure matching agent event (ID: ${agentEventId}) with oracle event (ID: ${failure.oracleEventId}), reason: ${reason}`,
  );
  return [
    'Failure: Agent did not perform the following oracle tool call:',
    `tool name: ${failure.toolName}`,
    'tool args:',
    ...(args.length > 0 ? args : ['']),
    '',
    'List of matching attempts:',
    ...(attempts.length > 0 ? attempts : ['']),
  ].join('\n');
}

export const attemptOf = (event: CompletedEvent, reason: AttemptReason, mismatch?: Mismatch): Attempt => ({
  agentEventId: event.id,
  reason,
  args: argsOf(event),
  ...(mismatch && { mismatch }),
});
