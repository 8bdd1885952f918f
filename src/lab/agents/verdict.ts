// A verdict as plain data for the page: what differed, which oracle events the agent's calls matched, and which events never fired, and
// why.
import type { ActionEvent, ScenarioEvent } from '@projected-grpo-lab/are/events/types.ts';
import { plainArgs } from '@projected-grpo-lab/are/value.ts';
import { differencesOf, outcomeOf } from '@projected-grpo-lab/are/verifier/explain.ts';
import { type Failure, surplus } from '@projected-grpo-lab/are/verifier/failures.ts';
import { judgedName, judgedType, NOISE } from '@projected-grpo-lab/are/verifier/judged-events.ts';
import type { JudgedRun } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import type { Verdict } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Entry, MatchRow, Unfired, VerdictView } from '../protocol/agents.ts';

export function verdictView(verdict: Verdict): VerdictView {
  const { success, rationale, failure, exception } = verdict;
  return {
    success,
    outcome: outcomeOf(verdict),
    rationale,
    exception,
    lacking:
      failure?.kind === 'oracle event'
        ? { oracleEventId: failure.oracleEventId, toolName: failure.toolName, differences: differencesOf(failure) }
        : null,
    counts: failure?.kind === 'counts' ? countsOf(failure) : null,
  };
}

function countsOf({ agent, oracle, agentMessages, oracleMessages }: Extract<Failure, { kind: 'counts' }>) {
  const tools = surplus(agent, oracle).map(({ tool, ...both }) => ({ what: tool, ...both }));
  if (agentMessages === oracleMessages) return tools;
  return [...tools, { what: 'messages to the user', agent: agentMessages, oracle: oracleMessages }];
}

/** All judged actions of the oracle, in the order of matching. */
export function matchRows(
  { oracle, verifier }: Pick<JudgedRun, 'oracle' | 'verifier'>,
  { failure }: Verdict,
  entries: readonly Entry[],
): MatchRow[] {
  const placeOf = new Map(entries.flatMap((entry, place) => (entry.kind === 'call' ? [[entry.id, place]] : [])));
  const agentIdOf = new Map([...verifier.matches].map(([agentId, oracleId]) => [oracleId, agentId]));
  const lacking = failure && 'oracleEventId' in failure ? failure.oracleEventId : null;
  return oracle.turns.flatMap((events, turn) =>
    events.map(({ event }): MatchRow => {
      const agentId = agentIdOf.get(event.id);
      return {
        turn,
        oracleId: event.id,
        isAgent: judgedType(event) === 'AGENT',
        tool: judgedName(event),
        args: plainArgs(event.action?.args ?? {}),
        status: agentId !== undefined ? 'matched' : event.id === lacking ? 'no call matches' : 'not looked at',
        place: agentId === undefined ? null : (placeOf.get(agentId) ?? null),
      };
    }),
  );
}

/** Events of user and environment that had not fired when the run ended. The oracle's own never fire in a run. */
export function unfiredEvents(events: readonly ScenarioEvent[], entries: readonly Entry[]): Unfired[] {
  const past = pastOf(entries);
  return (
    events
      .filter((event): event is ActionEvent => event.kind === 'action' && !past.ids.has(event.id))
      // Missing noise needs no explanation.
      .filter(({ id }) => !id.includes(NOISE))
      .map((event) => ({ id: event.id, tool: `${event.app.name}__${event.tool.name}`, why: whyNot(event, past) }))
  );
}

interface Past {
  readonly ids: ReadonlySet<string | null>;
  /** Judged turns that passed, from 0. */
  readonly passedTurns: ReadonlySet<number>;
  readonly failedTurn: number | null;
  readonly ended: number;
}

function pastOf(entries: readonly Entry[]): Past {
  const turns = entries.filter((entry) => entry.kind === 'turn');
  return {
    ids: new Set(entries.flatMap((entry) => (entry.kind === 'call' ? [entry.id] : []))),
    passedTurns: new Set(turns.filter(({ verdict }) => verdict.success).map(({ turn }) => turn)),
    failedTurn: turns.find(({ verdict }) => !verdict.success)?.turn ?? null,
    ended: entries.at(-1)?.time ?? 0,
  };
}

function whyNot(event: ActionEvent, past: Past): string {
  const { ended, failedTurn } = past;
  const missing = event.dependencies.find((before) => !isDone(before, past));
  if (missing?.kind === 'condition') {
    const turn = turnOf(missing.id);
    if (turn === null) return `It waits for ${missing.id}, which never came true.`;
    return failedTurn !== null
      ? `It belongs to turn ${turn + 1}, and the run stopped when turn ${failedTurn + 1} failed.`
      : `It belongs to turn ${turn + 1}, and the agent did not end turn ${turn} with a message to the user.`;
  }
  if (missing) return `It comes after ${missing.id}, which never happened.`;
  if (event.time !== null && event.time > ended)
    return `It was due ${Math.round(event.time - ended)} s after the run had ended.`;
  return 'The run ended before it was due.';
}

function isDone(event: ScenarioEvent, { ids, passedTurns }: Past): boolean {
  const turn = event.kind === 'condition' ? turnOf(event.id) : null;
  return event.kind === 'condition' ? turn !== null && passedTurns.has(turn - 1) : ids.has(event.id);
}

/** Turn that a condition begins, from 1; each of its checks has its own id. */
function turnOf(id: string): number | null {
  const found = /^condition_turn_(\d+)(?:-CHECK_\d+)?$/.exec(id)?.[1];
  return found === undefined ? null : Number(found);
}
