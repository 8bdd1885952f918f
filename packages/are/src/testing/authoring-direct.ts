// The authoring rules in direct form: each checks all events, which takes quadratic time. The incremental rules (scenario/authoring.ts)
// must agree with these.

import { endsTurn, type ScenarioEvent } from '../events/types.ts';
import { valueError } from '../python-error.ts';
import { type NewEvent, seconds } from '../scenario/authoring.ts';
import { turnsOf } from '../scenario/turns.ts';

const isToUser = (event: ScenarioEvent): boolean =>
  event.kind === 'oracle' && event.functionName === 'send_message_to_user';
const isToAgent = (event: ScenarioEvent): boolean =>
  event.kind === 'action' && event.tool.name === 'send_message_to_agent';

/** @param start of the scenario, in seconds; the times of roots count from it */
export function checkDirectly(event: NewEvent, events: readonly ScenarioEvent[], start: number): void {
  checkPredecessors(event, events);
  checkSingleBranch(event, events);
  checkTimes(event, events, start);
}

function checkPredecessors({ type, functionName, dependencies }: NewEvent, events: readonly ScenarioEvent[]): void {
  const found = (id: string): ScenarioEvent => {
    const event = events.find((other) => other.id === id);
    if (!event) throw valueError(`Predecessor event with id '${id}' not found.`);
    return event;
  };
  if (type === 'AGENT' && dependencies.length === 0) {
    throw valueError('Agent events must have at least one predecessor event.');
  }
  if (type === 'ENV') {
    if (dependencies.length !== 1) throw valueError('Env events must have only one predecessor event');
    const before = found(dependencies[0] as string);
    if (!isToUser(before) && !['ENV', 'USER', 'CONDITION'].includes(before.type)) {
      throw valueError('Env events can only have a send_message_to_agent or user/env event as a predecessor event.');
    }
  }
  for (const before of dependencies.map(found)) {
    if (isToUser(before) && type !== 'ENV' && functionName !== 'send_message_to_agent') {
      throw valueError(
        `The ${functionName} event is not allowed to link after send_message_to_user, ` +
          'only send_message_to_agent or Env event is allowed.',
      );
    }
  }
}

/** Whether all messages between user and agent are on one branch. */
function checkSingleBranch({ functionName, dependencies }: NewEvent, events: readonly ScenarioEvent[]): void {
  if (functionName !== 'send_message_to_agent' && functionName !== 'send_message_to_user') return;
  const connected = new Set(dependencies);
  const byId = new Map(events.map((event) => [event.id, event]));
  const queue = [...dependencies];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const event = byId.get(id);
    for (const { id: next } of [...(event?.successors ?? []), ...(event?.dependencies ?? [])]) {
      if (connected.has(next)) continue;
      connected.add(next);
      queue.push(next);
    }
  }
  if (events.some((event) => !connected.has(event.id) && (isToUser(event) || isToAgent(event)))) {
    throw valueError(
      'Only one branch of the events graph should contain send_message_to_agent or send_message_to_user events. ' +
        'Found multiple branches with send_message_to_agent or send_message_to_user events.',
    );
  }
}

/**
 * Whether the message to the user is the last event of its turn; not required if all delays of the turn are 0 or 1, since times then mean
 * nothing.
 */
function checkTimes(event: NewEvent, events: readonly ScenarioEvent[], start: number): void {
  if (event.dependencies.length === 0) return;
  const turns = turnsOf(events).of;
  const turn = turns.get(event.dependencies[0] as string);
  if (event.dependencies.some((id) => turns.get(id) !== turn)) {
    throw valueError('Predecessor events do not belong to the same turn.');
  }
  const byId = new Map(events.map((other) => [other.id, other]));
  // Turns are visited in order, since events outside a turn count with the time 0.
  const inTurn = [...turns].flatMap(([id, of]) => (of === turn ? [byId.get(id) as ScenarioEvent] : []));
  if (inTurn.every(({ delay }) => delay === 0 || delay === 1)) return;
  const times = accumulated(inTurn, start);
  const before = Math.max(...event.dependencies.map((id) => times.get(id) ?? 0));
  const ownTime = event.delay ? before + event.delay : event.time || null;
  if (ownTime === null) return;
  if (event.functionName === 'send_message_to_user') {
    const last = Math.max(...times.values());
    if (ownTime < last) {
      throw valueError(
        `send_message_to_user event's time (${seconds(ownTime)}) should be the maximum of the turn (${seconds(last)}).`,
      );
    }
    return;
  }
  const end = inTurn.find(endsTurn);
  if (!end || event.dependencies.includes(end.id)) return;
  const endTime = times.get(end.id) ?? 0;
  if (endTime < ownTime) {
    throw valueError(
      `New event's time (${seconds(ownTime)}) exceeds send_message_to_user event's time (${seconds(endTime)}).`,
    );
  }
}

function accumulated(events: readonly ScenarioEvent[], start: number): Map<string, number> {
  const times = new Map(events.map(({ id }) => [id, 0]));
  for (const { id, dependencies, time, delay } of events) {
    const before =
      dependencies.length === 0 ? start : Math.max(...dependencies.map((event) => times.get(event.id) ?? 0));
    if (time !== null && time < before) {
      throw valueError(
        `Event ${id} has an absolute time of ${seconds(time)}, which is less than the maximum predecessor time of ${seconds(before)}.`,
      );
    }
    times.set(id, time ?? before + (delay ?? 0));
  }
  return times;
}
