// Plays a scenario's oracle, and returns for each turn the events to compare the agent with and their required order.
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import { Environment } from '../environment.ts';
import { OracleError } from '../errors.ts';
import type { CompletedEvent } from '../events/completed.ts';
import type { Comparator, ScenarioEvent } from '../events/types.ts';
import { keyError, PythonError } from '../python-error.ts';
import type { Scenario } from '../scenario/import.ts';
import { type Turns, turnsOf } from '../scenario/turns.ts';
import type { App, Draws } from '../types.ts';
import { isJudged, judgedType } from './judged-events.ts';
import type { UserDetails } from './soft.ts';

export interface OracleEventTiming {
  readonly event: CompletedEvent;
  /** Absolute time, if the scenario gives one. */
  readonly absolute: number | null;
  readonly comparator: Comparator | null;
  /** Ids of the events of its turn that must come before it. */
  readonly parents: readonly string[];
}

export interface Oracle {
  readonly log: readonly CompletedEvent[];
  readonly start: number;
  readonly turnOf: ReadonlyMap<string, number>;
  /** Events by turn, in the order in which they are matched. */
  readonly turns: readonly (readonly OracleEventTiming[])[];
  /** The user's messages, by turn. */
  readonly tasks: readonly string[];
  readonly user: UserDetails;
}

/** Whether the oracle makes any call to compare an agent with. */
export const acts = ({ turns }: Oracle): boolean =>
  turns.some((turn) => turn.some(({ event }) => judgedType(event) === 'AGENT'));

/** @param scenario a new one, since the run changes its apps and events */
export const playOracle = (scenario: Scenario, draws?: (key: string) => Draws): Oracle =>
  atOnce(oracleParts(scenario, draws));

export function* oracleParts(scenario: Scenario, draws?: (key: string) => Draws): Parts<Oracle> {
  const turns = turnsOf(scenario.events);
  const user = userOf(scenario.apps);
  const environment = new Environment({
    start: scenario.start,
    duration: scenario.duration,
    increment: scenario.increment,
    isOracle: true,
    seed: scenario.seed,
    verbosity: 'LOW',
    ...(draws && { draws }),
  });
  environment.register(scenario.apps).schedule(scenario.events).begin();
  // Absolute times given by the scenario, before the run sets the times of all events.
  const absolute = new Map(scenario.events.map((event) => [event.id, event.delay === null ? event.time : null]));
  try {
    yield* environment.queueParts();
  } catch (error) {
    if (error instanceof PythonError) throw failed([`${error.kind}: ${error.message}`]);
    throw error;
  }
  const log = environment.log.list();
  const errors = log.flatMap(({ id, error }) => (error === null ? [] : [`${id}: ${error.message}`]));
  if (errors.length > 0) throw failed(errors);
  const judged = log.filter(isJudged);
  return {
    log,
    start: scenario.start,
    turnOf: turns.of,
    turns: timedTurns(scenario.events, judged, turns, absolute),
    tasks: tasksOf(log, turns.of, turns.count),
    user,
  };
}

const failed = (errors: readonly string[]) =>
  new OracleError(
    `The oracle's own run failed: ${errors.join('; ')}`,
    'Correct the oracle’s events: nobody can be judged by them.',
  );

function timedTurns(
  events: readonly ScenarioEvent[],
  judged: readonly CompletedEvent[],
  turns: Turns,
  absolute: ReadonlyMap<string, number | null>,
): OracleEventTiming[][] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const byTurn = Array.from({ length: turns.count }, (): CompletedEvent[] => []);
  for (const event of judged) {
    const turn = turns.of.get(event.id);
    if (turn === undefined) throw keyError(event.id);
    byTurn[turn]?.push(event);
  }
  return byTurn.map((inTurn) => ofTurn(byId, inTurn, absolute));
}

function ofTurn(
  byId: ReadonlyMap<string, ScenarioEvent>,
  inTurn: readonly CompletedEvent[],
  absolute: ReadonlyMap<string, number | null>,
): OracleEventTiming[] {
  const ids = new Set(inTurn.map(({ id }) => id));
  const parents = new Map(
    inTurn.map(({ id }) => {
      const before = byId.get(id)?.dependencies.map((event) => event.id) ?? [];
      return [id, [...new Set(before)].filter((parent) => ids.has(parent)).sort()];
    }),
  );
  const timed = new Map(
    inTurn.map((event): [string, OracleEventTiming] => {
      const source = byId.get(event.id);
      return [
        event.id,
        {
          event,
          absolute: absolute.get(event.id) ?? null,
          comparator: source?.kind === 'oracle' ? source.comparator : null,
          parents: parents.get(event.id) ?? [],
        },
      ];
    }),
  );
  return topological(parents).map((id) => timed.get(id) as OracleEventTiming);
}

/** Kahn's order, first in first out. Within a turn of an imported graph there is no cycle. */
function topological(parents: ReadonlyMap<string, readonly string[]>): string[] {
  const missing = new Map([...parents].map(([id, before]) => [id, before.length]));
  const order = [...parents].filter(([, before]) => before.length === 0).map(([id]) => id);
  const followers = new Map<string, string[]>();
  for (const [id, before] of parents) {
    for (const parent of before) {
      const list = followers.get(parent);
      if (list) list.push(id);
      else followers.set(parent, [id]);
    }
  }
  // The list grows during the loop.
  for (const id of order) {
    for (const next of followers.get(id) ?? []) {
      const left = (missing.get(next) as number) - 1;
      missing.set(next, left);
      if (left === 0) order.push(next);
    }
  }
  return order;
}

function tasksOf(log: readonly CompletedEvent[], turnOf: ReadonlyMap<string, number>, count: number): string[] {
  const tasks = Array.from({ length: count }, () => '');
  for (const { id, action } of log) {
    if (action?.className !== 'AgentUserInterface' || action.functionName !== 'send_message_to_agent') continue;
    const turn = turnOf.get(id) ?? 0;
    tasks[turn] = `${tasks[turn]}${String(action.args.content ?? '')}\n`;
  }
  return tasks;
}

/** The one contact that is the user. */
function userOf(apps: readonly App[]): UserDetails {
  const contacts = apps.find(({ name }) => name === 'Contacts' || name === 'ContactsApp')?.getState()?.contacts;
  if (contacts === undefined || contacts === null || typeof contacts !== 'object') {
    throw new OracleError(
      'No contacts app found in scenario.',
      'Give the scenario a contacts app with the user in it.',
    );
  }
  const users = Object.values(contacts as Readonly<Record<string, Contact>>).filter(({ is_user }) => is_user === true);
  const [user, other] = users;
  if (user === undefined || other !== undefined) {
    throw new OracleError(
      user ? 'More than one user contact found in scenario.' : 'No contact of the scenario is the user.',
      'Mark exactly one contact with is_user.',
    );
  }
  return { name: `${user.first_name} ${user.last_name}`, address: String(user.address ?? '') };
}

interface Contact {
  readonly is_user?: boolean;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly address?: string | null;
}
