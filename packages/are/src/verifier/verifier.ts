// The verifier: judges the agent's writes, turn by turn, against the oracle of its scenario (the graph judge of ARE, arXiv 2509.17158).
// First it compares the counts of calls, then it matches the oracle's events in topological order, each with the first equal call of the
// agent that comes after the matches of its parents. It is greedy: a match is never undone.
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { PythonError, valueError } from '../python-error.ts';
import type { TurnPassed } from '../scenario/turns.ts';
import type { Arg, Args } from '../value.ts';
import { type CallContext, compareCalls, DEFAULT_CONFIG, type VerifierConfig } from './compare-calls.ts';
import { type Attempt, attemptOf, type Failure, failureText } from './failures.ts';
import { byTurn, judgedName, judgedType } from './judged-events.ts';
import { acts, type Oracle, type OracleEventTiming } from './oracle-run.ts';
import { TOOL_CHECKERS } from './registry.ts';
import type { SoftEngine } from './soft.ts';

const TO_USER = 'AgentUserInterface__send_message_to_user';

export interface Verdict {
  readonly success: boolean;
  /** The reference's text; `None` on success. */
  readonly rationale: string;
  readonly failure: Failure | null;
  /** The judge's own error, for example on an invalid date. */
  readonly exception: { readonly kind: string; readonly text: string } | null;
}

const passed: Verdict = { success: true, rationale: 'None', failure: null, exception: null };
const rejected = (failure: Failure): Verdict => ({
  success: false,
  rationale: failureText(failure),
  failure,
  exception: null,
});

export class Verifier {
  /** The last turn that was judged; -1: none. */
  turn = -1;
  /** Verdict on the last turn that was judged. */
  last: Verdict = { ...passed, rationale: '' };
  /** Maps the agent's event ids (at the time of matching) to the oracle's. */
  readonly matches = new Map<string, string>();
  private events: CompletedEvent[] = [];
  /** Indices of the agent's calls by tool, in order. */
  private placesOf = new Map<string, number[]>();
  private readonly oracleOf = new Map<number, string>();
  private readonly placeOf = new Map<string, number>();

  constructor(
    private readonly oracle: Oracle,
    private readonly engine: SoftEngine,
    private readonly config: VerifierConfig = DEFAULT_CONFIG,
  ) {}

  get turnCount(): number {
    return this.oracle.turns.length;
  }

  /** Must be called at the end of a turn that is not the last; returns whether the next one begins. */
  passTurn(log: readonly CompletedEvent[]): TurnPassed {
    const { success } = this.judgeTurn(log);
    return { goesOn: success, oracleIdOf: this.matches };
  }

  /** Must be called at the end of a run whose earlier turns were judged during the run. */
  judgeEnd(log: readonly CompletedEvent[]): Verdict {
    if (!acts(this.oracle)) return rejected({ kind: 'no oracle' });
    if (!this.last.success) return this.last;
    const isLast = this.turn + 1 === this.turnCount - 1;
    return isLast ? this.judgeTurn(log) : rejected({ kind: 'turns', turn: this.turn, count: this.turnCount });
  }

  /** Judges all turns of a run that was not judged during the run; after a pending answer, the remaining ones. */
  judgeAll(log: readonly CompletedEvent[]): Verdict {
    if (!acts(this.oracle)) return rejected({ kind: 'no oracle' });
    while (this.last.success && this.turn + 1 < this.turnCount) this.judgeTurn(log);
    return this.last;
  }

  private judgeTurn(log: readonly CompletedEvent[]): Verdict {
    const before = { turn: this.turn, events: this.events };
    try {
      this.last = this.judged(log);
    } catch (error) {
      if (error instanceof PythonError) {
        const exception = { kind: error.kind, text: error.message };
        this.last = { success: false, rationale: 'Exception', failure: null, exception };
      } else {
        // The answer is pending: the turn will be judged again from its start.
        this.forget(before);
        throw error;
      }
    }
    return this.last;
  }

  private forget({ turn, events }: { turn: number; events: CompletedEvent[] }): void {
    for (const [place, oracleId] of this.oracleOf) {
      if (this.oracle.turnOf.get(oracleId) !== this.turn) continue;
      this.oracleOf.delete(place);
      this.placeOf.delete(oracleId);
      this.matches.delete(this.events[place]?.id ?? '');
    }
    this.turn = turn;
    this.setEvents(events);
  }

  private setEvents(events: CompletedEvent[]): void {
    this.events = events;
    this.placesOf = new Map();
    for (const [place, event] of events.entries()) {
      const name = judgedName(event);
      const places = this.placesOf.get(name);
      if (places) places.push(place);
      else this.placesOf.set(name, [place]);
    }
  }

  private judged(log: readonly CompletedEvent[]): Verdict {
    this.turn++;
    const turns = byTurn(log);
    const ofTurn = turns[this.turn];
    if (ofTurn === undefined) {
      throw new PythonError('AssertionError', `Invalid turn index ${this.turn} (max ${turns.length - 1})`);
    }
    const from = this.events.length;
    this.setEvents([...this.events, ...ofTurn]);
    const oracleEvents = this.oracle.turns[this.turn] ?? [];
    const wrongCounts = this.compareCounts(
      ofTurn,
      oracleEvents.map(({ event }) => event),
    );
    if (wrongCounts) return rejected(wrongCounts);
    const times = new Map(oracleEvents.map(({ event }) => [event.id, event.time]));
    const byId = new Map<string, number[]>();
    for (const [at, { id }] of ofTurn.entries()) byId.set(id, [...(byId.get(id) ?? []), from + at]);
    for (const event of oracleEvents) {
      const isAgent = judgedType(event.event) === 'AGENT';
      const failure = isAgent ? this.matchAgent(event, times) : this.matchEnvironment(event, byId);
      if (failure) return rejected(failure);
    }
    return passed;
  }

  private compareCounts(agent: readonly CompletedEvent[], oracle: readonly CompletedEvent[]): Failure | null {
    const [agentCounts, oracleCounts] = [countsOf(agent), countsOf(oracle)];
    const messages = (counts: ReadonlyMap<string, number>) => counts.get(TO_USER) ?? 0;
    const [agentMessages, oracleMessages] = [messages(agentCounts), messages(oracleCounts)];
    agentCounts.delete(TO_USER);
    oracleCounts.delete(TO_USER);
    const isSame =
      [...agentCounts].every(([tool, count]) => oracleCounts.get(tool) === count) &&
      agentCounts.size === oracleCounts.size &&
      agentMessages >= oracleMessages &&
      agentMessages <= oracleMessages + this.config.extraMessages;
    if (isSame) return null;
    const extraAllowed = this.config.extraMessages;
    return { kind: 'counts', agent: agentCounts, oracle: oracleCounts, agentMessages, oracleMessages, extraAllowed };
  }

  private matchEnvironment(
    { event }: OracleEventTiming,
    placesOf: ReadonlyMap<string, readonly number[]>,
  ): Failure | null {
    const place = placesOf.get(event.id)?.find((at) => {
      const agent = this.events[at] as CompletedEvent;
      return judgedName(agent) === judgedName(event) && judgedType(agent) === judgedType(event);
    });
    if (place === undefined) return { kind: 'environment event', oracleEventId: event.id };
    this.match(place, event.id);
    return null;
  }

  /** @param times of the turn's oracle events */
  private matchAgent(oracle: OracleEventTiming, times: ReadonlyMap<string, number>): Failure | null {
    const toolName = judgedName(oracle.event);
    if (!TOOL_CHECKERS.has(toolName)) throw valueError(`Tool ${toolName} not supported`);
    const oracleArgs = this.resolved(oracle.event);
    const context = this.contextOf(oracle, times);
    const attempts = new Map<number, Attempt[]>();
    for (const place of this.placesOf.get(toolName) ?? []) {
      if (this.oracleOf.has(place)) continue;
      const agent = this.events[place] as CompletedEvent;
      const mismatch = compareCalls(agent, oracle, oracleArgs, context);
      if (mismatch) {
        attempts.set(place, [attemptOf(agent, 'tool judge reject', mismatch)]);
        continue;
      }
      const tooLate = oracle.parents.filter((id) => (this.placeOf.get(id) ?? Number.POSITIVE_INFINITY) >= place);
      if (tooLate.length === 0) {
        this.match(place, oracle.event.id);
        return null;
      }
      attempts.set(
        place,
        tooLate.map(() => attemptOf(agent, 'causality')),
      );
    }
    return {
      kind: 'oracle event',
      oracleEventId: oracle.event.id,
      toolName,
      args: oracleArgs,
      attempts: this.events.flatMap((agent, place) =>
        this.oracleOf.has(place) ? [attemptOf(agent, 'already matched')] : (attempts.get(place) ?? []),
      ),
    };
  }

  /** The oracle's arguments with each placeholder replaced by the result of the agent's own event. Only whole events can be referred to. */
  private resolved(event: CompletedEvent): Args {
    const args = argsOf(event);
    const resolve = ([name, value]: [string, Arg]): [string, Arg] => {
      const [, id] = /^\{\{(.*)\}\}$/s.exec(typeof value === 'string' ? value : '') ?? [];
      const place = id === undefined ? undefined : this.placeOf.get(id);
      return [name, place === undefined ? (args[name] ?? value) : (this.events[place]?.value ?? null)];
    };
    return { ...args, ...Object.fromEntries(Object.entries(event.action?.args ?? {}).map(resolve)) };
  }

  private contextOf(oracle: OracleEventTiming, times: ReadonlyMap<string, number>): CallContext {
    const { start, tasks, user, turnOf } = this.oracle;
    const parents = [
      ...oracle.parents.map((id) => ({
        oracle: times.get(id) as number,
        agent: this.events[this.placeOf.get(id) as number]?.time as number,
      })),
      { oracle: start, agent: start },
    ];
    const latest = Math.max(...parents.map((parent) => parent.oracle));
    const attaining = parents.filter((parent) => parent.oracle >= latest);
    return {
      config: this.config,
      engine: this.engine,
      user,
      tasks: tasks.slice(0, (turnOf.get(oracle.event.id) ?? 0) + 1),
      parentTime: { oracle: latest, agent: Math.max(...attaining.map((parent) => parent.agent)) },
    };
  }

  private match(place: number, oracleId: string): void {
    this.oracleOf.set(place, oracleId);
    this.placeOf.set(oracleId, place);
    this.matches.set(this.events[place]?.id as string, oracleId);
  }
}

function countsOf(events: readonly CompletedEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(judgedName(event), (counts.get(judgedName(event)) ?? 0) + 1);
  return counts;
}
