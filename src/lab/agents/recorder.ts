// Records a run as a list of entries: events of user and environment, notifications, the agent's calls, turns, the end; in order, with
// simulated times. The recorder only listens, and does not change the run.
import type { AgentStep, RunEnd } from '@projected-grpo-lab/are/agents/run.ts';
import { argsOf, type CompletedEvent } from '@projected-grpo-lab/are/events/completed.ts';
import { plain, plainArgs } from '@projected-grpo-lab/are/value.ts';
import { judgedType } from '@projected-grpo-lab/are/verifier/judged-events.ts';
import type { JudgedRun } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import type { Verdict } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Actor, CallEntry, Entry, VerdictView } from '../protocol/agents.ts';
import { verdictView } from './verdict.ts';

export class Recorder {
  readonly entries: Entry[] = [];
  /** Verdicts of the judged turns, in order. */
  readonly turns: VerdictView[] = [];
  /** First entry that is new or changed since the last call of `taken`. */
  private freshFrom = 0;
  /** Indices of the agent's logged calls since its last step. */
  private fresh: number[] = [];

  /** @param onEntry called with an entry's index when it has just happened, while the apps still have their state of that moment */
  constructor(
    private readonly judged: Pick<JudgedRun, 'environment' | 'verifier'>,
    private readonly onEntry: (place: number) => void = () => {},
  ) {
    this.listen();
  }

  private listen(): void {
    const { environment, verifier } = this.judged;
    const { log, inbox } = environment;
    const put = log.put.bind(log);
    log.put = (event) => {
      put(event);
      if (event.action !== null) this.logged(event);
    };
    const putMessage = inbox.put.bind(inbox);
    inbox.put = (kind, text, time) => {
      putMessage(kind, text, time);
      // A user's message is already recorded as an event.
      if (kind === 'ENVIRONMENT_NOTIFICATION')
        this.add({ kind: 'notification', actor: 'environment', ...this.at(time), text });
    };
    const pass = verifier.passTurn.bind(verifier);
    verifier.passTurn = (events) => {
      const passed = pass(events);
      this.turnEnded(verifier.last);
      return passed;
    };
  }

  /** Entries since the last call, from `from` on, which replace earlier ones; null if there are none. */
  taken(): { from: number; entries: readonly Entry[] } | null {
    const from = this.freshFrom;
    if (from >= this.entries.length) return null;
    this.freshFrom = this.entries.length;
    return { from, entries: this.entries.slice(from) };
  }

  /** Adds the agent's step to its logged call; a call refused before it was logged becomes an own entry. */
  step({ act, time, app, tool, args, thought, outcome }: AgentStep): void {
    const isThisCall = (place: number) => {
      const entry = this.entries[place];
      return entry?.kind === 'call' && entry.app === app && entry.tool === tool;
    };
    const own = this.fresh.findLast(isThisCall);
    for (const place of this.fresh) {
      this.freshFrom = Math.min(this.freshFrom, place);
      const entry = this.entries[place] as CallEntry;
      this.entries[place] = { ...entry, ...(place === own ? { thought, act } : { isInner: true }) };
    }
    this.fresh = [];
    if (own !== undefined) return;
    this.add({
      kind: 'call',
      actor: 'agent',
      ...this.at(time),
      id: null,
      app,
      tool,
      args: plainArgs(args),
      thought,
      act,
      outcome: 'value' in outcome ? { value: plain(outcome.value) } : { error: errorText(outcome.error) },
      isInner: false,
    });
  }

  turnEnded(verdict: Verdict): void {
    const shown = verdictView(verdict);
    this.turns.push(shown);
    this.add({ kind: 'turn', actor: 'user', ...this.at(), turn: this.turns.length - 1, verdict: shown });
  }

  end(reason: RunEnd): void {
    this.add({ kind: 'end', actor: 'environment', ...this.at(), reason });
  }

  private logged(event: CompletedEvent): void {
    const { type, action, id, time, value, error } = event;
    if (action === null) return;
    const actor = ACTOR_OF[judgedType(event)] ?? 'environment';
    if (type === 'AGENT') this.fresh.push(this.entries.length);
    this.add({
      kind: 'call',
      actor,
      ...this.at(time),
      id,
      app: action.appName,
      tool: action.functionName,
      args: plainArgs(argsOf(event)),
      outcome: error === null ? { value: plain(value) } : { error: errorText(error) },
      thought: null,
      act: null,
      isInner: false,
    });
  }

  private at(from = this.judged.environment.now()): { from: number; time: number } {
    // Times never decrease, so that each moment has a place in the list.
    const last = this.entries.at(-1)?.time ?? from;
    return { from, time: Math.max(from, last, this.judged.environment.now()) };
  }

  private add(entry: Entry): void {
    this.entries.push(entry);
    this.onEntry(this.entries.length - 1);
  }
}

const ACTOR_OF: Readonly<Record<string, Actor>> = { AGENT: 'agent', USER: 'user', ENV: 'environment' };

const errorText = ({ kind, message }: { kind: string; message: string }): string => `${kind}: ${message}`;
