// The rules that an event must meet when it is added to a scenario, each with the reference's text. Events are checked in a file's order:
// dependencies come first, so that no earlier event depends on a new one, and the known facts of earlier events (turn, time, branch) do not
// change. Each event is checked only when it is added.

import { endsTurn, type ScenarioEvent } from '../events/types.ts';
import { valueError } from '../python-error.ts';
import { pythonRepr } from '../python-text.ts';
import { Float } from '../value.ts';

export interface NewEvent {
  readonly type: 'AGENT' | 'ENV' | 'USER' | 'CONDITION';
  readonly functionName: string;
  readonly dependencies: readonly string[];
  readonly delay: number | null;
  readonly time: number | null;
}

/** An event with the facts that the rules need. */
interface Known {
  readonly event: ScenarioEvent;
  /** Depth in a breadth-first search from the roots, the parent it is reached from, and its order among children. */
  readonly depth: number;
  readonly parent: Known | null;
  readonly serial: number;
  turn: number;
  /** Time within the scenario, by the delays of its turn. */
  time: number;
  /** Union-find parent: another event of the same branch, or itself. */
  branch: Known;
}

interface Turn {
  /** Whether all delays are 0 or 1, so that times mean nothing. */
  isUntimed: boolean;
  latest: number;
  /** The first message to the user in the turn. */
  end: Known | null;
  /** The first event that is due before one of its dependencies; reported when the next event of the turn is checked. */
  early: { readonly known: Known; readonly before: number } | null;
}

export const ENV_PREDECESSOR = 'Env events must have only one predecessor event';

/** A number of seconds as the reference prints it, always as a float. */
export const seconds = (value: number): string => pythonRepr(new Float(value));

const isToUser = (event: ScenarioEvent): boolean =>
  event.kind === 'oracle' && event.functionName === 'send_message_to_user';
const isToAgent = (event: ScenarioEvent): boolean =>
  event.kind === 'action' && event.tool.name === 'send_message_to_agent';

export class Authoring {
  private readonly byId = new Map<string, Known>();
  private readonly turns = new Map<number, Turn>();
  /** One of the messages between user and agent. */
  private message: Known | null = null;
  /** Number of events visited by all checks, to measure their cost. */
  looks = 0;

  /** @param start of the scenario, in seconds; the times of roots count from it */
  constructor(private readonly start: number) {}

  /** Throws ValueError. */
  check(event: NewEvent): void {
    const before = event.dependencies.map((id) => this.found(id));
    checkPredecessors(event, before);
    this.checkSingleBranch(event, before);
    this.checkTimes(event, before);
  }

  /** Adds a checked event, linked to its dependencies. */
  add(event: ScenarioEvent): void {
    const before = event.dependencies.map(({ id }) => this.found(id));
    const parent = before.reduce<Known | null>((a, b) => (a === null || this.isBefore(b, a) ? b : a), null);
    const place = { depth: (parent?.depth ?? -1) + 1, parent, serial: this.byId.size };
    const known = { event, ...place, turn: 0, time: 0 } as Known;
    known.branch = known;
    this.byId.set(event.id, known);
    // Breadth-first order visits each event once, so a join may be visited before a dependency; that dependency's turn and time are then
    // ignored.
    const seen = before.filter((other) => this.isBefore(other, known));
    known.turn = seen.reduce((most, { turn }) => Math.max(most, turn), 0);
    if (before.some((other) => endsTurn(other.event))) known.turn++;
    this.addTime(known, before, seen);
    for (const other of before) branchOf(other).branch = branchOf(known);
    if (isToUser(event) || isToAgent(event)) this.message ??= known;
  }

  private addTime(known: Known, before: readonly Known[], seen: readonly Known[]): void {
    const { event } = known;
    const turn = this.turnAt(known.turn);
    const ofTurn = seen.filter((other) => other.turn === known.turn);
    const from = before.length === 0 ? this.start : Math.max(0, ...ofTurn.map(({ time }) => time));
    if (event.time !== null && event.time < from && (turn.early === null || this.isBefore(known, turn.early.known)))
      turn.early = { known, before: from };
    known.time = event.time ?? from + (event.delay ?? 0);
    turn.isUntimed &&= event.delay === 0 || event.delay === 1;
    turn.latest = Math.max(turn.latest, known.time);
    if (endsTurn(event) && (turn.end === null || this.isBefore(known, turn.end))) turn.end = known;
  }

  private turnAt(number: number): Turn {
    const turn = this.turns.get(number) ?? {
      isUntimed: true,
      latest: Number.NEGATIVE_INFINITY,
      end: null,
      early: null,
    };
    this.turns.set(number, turn);
    return turn;
  }

  private found(id: string): Known {
    this.looks++;
    const known = this.byId.get(id);
    if (!known) throw valueError(`Predecessor event with id '${id}' not found.`);
    return known;
  }

  /** Whether `a` comes before `b` in a breadth-first search. On the same level the order of the branches decides. */
  private isBefore(a: Known, b: Known): boolean {
    if (a.depth !== b.depth) return a.depth < b.depth;
    let [first, second] = [a, b];
    while (first.parent !== null && second.parent !== null && first.parent !== second.parent) {
      this.looks++;
      first = first.parent;
      second = second.parent;
    }
    return first.serial < second.serial;
  }

  /** All messages between user and agent must be on one branch. */
  private checkSingleBranch({ functionName }: NewEvent, before: readonly Known[]): void {
    if (functionName !== 'send_message_to_agent' && functionName !== 'send_message_to_user') return;
    if (this.message === null) return;
    const branch = branchOf(this.message);
    if (!before.some((known) => branchOf(known) === branch)) {
      throw valueError(
        'Only one branch of the events graph should contain send_message_to_agent or send_message_to_user events. ' +
          'Found multiple branches with send_message_to_agent or send_message_to_user events.',
      );
    }
  }

  /** The message to the user must be the last event of its turn, unless times mean nothing there. */
  private checkTimes(event: NewEvent, before: readonly Known[]): void {
    const [first] = before;
    if (!first) return;
    if (before.some(({ turn }) => turn !== first.turn)) {
      throw valueError('Predecessor events do not belong to the same turn.');
    }
    const { isUntimed, early, latest, end } = this.turnAt(first.turn);
    if (isUntimed) return;
    if (early) {
      throw valueError(
        `Event ${early.known.event.id} has an absolute time of ${seconds(early.known.event.time ?? 0)}, which is less than the maximum ` +
          `predecessor time of ${seconds(early.before)}.`,
      );
    }
    const from = Math.max(...before.map(({ time }) => time));
    const ownTime = event.delay ? from + event.delay : event.time || null;
    if (ownTime === null) return;
    if (event.functionName === 'send_message_to_user') {
      if (ownTime < latest) {
        throw valueError(
          `send_message_to_user event's time (${seconds(ownTime)}) should be the maximum of the turn (${seconds(latest)}).`,
        );
      }
      return;
    }
    if (end === null || before.includes(end)) return;
    if (end.time < ownTime) {
      throw valueError(
        `New event's time (${seconds(ownTime)}) exceeds send_message_to_user event's time (${seconds(end.time)}).`,
      );
    }
  }
}

function checkPredecessors({ type, functionName }: NewEvent, known: readonly Known[]): void {
  const before = known.map(({ event }) => event);
  if (type === 'AGENT' && before.length === 0) {
    throw valueError('Agent events must have at least one predecessor event.');
  }
  if (type === 'ENV') {
    const [only, other] = before;
    if (!only || other) throw valueError(ENV_PREDECESSOR);
    if (!isToUser(only) && !['ENV', 'USER', 'CONDITION'].includes(only.type)) {
      throw valueError('Env events can only have a send_message_to_agent or user/env event as a predecessor event.');
    }
  }
  if (type !== 'ENV' && functionName !== 'send_message_to_agent' && before.some(isToUser)) {
    throw valueError(
      `The ${functionName} event is not allowed to link after send_message_to_user, ` +
        'only send_message_to_agent or Env event is allowed.',
    );
  }
}

/** Returns the branch's representative, and shortens the paths on the way (union-find). */
function branchOf(known: Known): Known {
  let here = known;
  while (here.branch !== here) {
    here.branch = here.branch.branch;
    here = here.branch;
  }
  return here;
}
