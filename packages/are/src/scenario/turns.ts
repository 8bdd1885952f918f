// The turns of a scenario: the agent's message to the user ends one. In an agent's run, environment events after the oracle's message wait
// for the agent's own message, by a condition that is checked every tick.
import { ScenarioError } from '../errors.ts';
import { conditionEvent, dependsOn } from '../events/graph.ts';
import { endsTurn, type RunView, type ScenarioEvent } from '../events/types.ts';

export interface Turns {
  /** Turns by event id. */
  readonly of: ReadonlyMap<string, number>;
  readonly count: number;
}

/** Whether there is an oracle; a file made only for agents has none, and conditions instead. */
const hasOracle = (events: readonly ScenarioEvent[]): boolean => events.some(({ kind }) => kind === 'oracle');

/**
 * An event's turn is its last dependency's, plus one after the end of a turn. Breadth-first order visits each event once, so a join may be
 * visited while a dependency has no turn yet, which then counts as the first.
 */
export function turnsOf(events: readonly ScenarioEvent[]): Turns {
  const isEnd = hasOracle(events) ? endsTurn : ({ kind }: ScenarioEvent) => kind === 'condition';
  const turns = new Map<string, number>();
  const queue = events.filter(({ dependencies }) => dependencies.length === 0);
  // The queue grows during the loop.
  for (const event of queue) {
    if (turns.has(event.id)) continue;
    const before = event.dependencies.map(({ id }) => turns.get(id) ?? 0);
    turns.set(event.id, Math.max(0, ...before) + (event.dependencies.some(isEnd) ? 1 : 0));
    queue.push(...event.successors.filter(({ id }) => !turns.has(id)));
  }
  return { of: turns, count: Math.max(0, ...turns.values()) + 1 };
}

/** Result of a turn: whether the next one begins, and which of the agent's events match which of the oracle's. */
export interface TurnPassed {
  readonly goesOn: boolean;
  readonly oracleIdOf: ReadonlyMap<string, string>;
}

/** Called when the agent has written its k-th message to the user, with the number of the turn that would begin. */
type TurnTrigger = (run: RunView, turn: number) => TurnPassed;

/** True once the agent has written exactly `turn` messages to the user. If the trigger says no, the run is stopped. */
export const turnCondition =
  (trigger: TurnTrigger, turn: number) =>
  (run: RunView): boolean => {
    if (run.log.messagesToUser !== turn) return false;
    run.pause();
    try {
      const { goesOn, oracleIdOf } = trigger(run, turn);
      // Placeholders name the oracle's events, so the matched events take their ids.
      for (const event of run.log.list()) {
        if (event.error === null) event.id = oracleIdOf.get(event.id) ?? event.id;
      }
      run.resume();
      if (!goesOn) run.stop();
      return true;
    } finally {
      // If the judge has no answer yet, it throws and is called again.
      run.resume();
    }
  };

/** The name under which a turn's condition is exported and recognised. */
const conditionName = (turn: number, scenarioId: string): string =>
  `wrapped_condition__turn_idx_${turn}__scenario_id_${scenarioId}`;

/**
 * Makes the successors of a turn's end depend on the turn's condition. Changes the events; returns all of them, conditions last. Without an
 * oracle the conditions are already in the file.
 */
export function withTurnConditions(
  events: readonly ScenarioEvent[],
  turns: Turns,
  trigger: TurnTrigger,
  scenarioId: string,
): ScenarioEvent[] {
  if (!hasOracle(events)) return [...events];
  const ends = new Map(events.filter(endsTurn).map((event) => [turns.of.get(event.id), event]));
  const conditions: ScenarioEvent[] = [];
  for (let turn = 1; turn < turns.count; turn++) {
    const successors = [...(ends.get(turn - 1)?.successors ?? [])];
    if (successors.some(({ kind }) => kind === 'oracle')) {
      throw new ScenarioError('events', `the oracle goes on after the message that ends turn ${turn - 1}`);
    }
    for (const event of successors) event.dependencies = event.dependencies.filter((before) => !endsTurn(before));
    const previous = conditions.at(-1);
    const condition = conditionEvent({
      id: `condition_turn_${turn}`,
      name: conditionName(turn, scenarioId),
      predicate: turnCondition(trigger, turn),
    });
    dependsOn(condition, previous ? [previous] : []);
    for (const event of successors) dependsOn(event, [condition], event.delay ?? 0);
    conditions.push(condition);
  }
  const stuck = events.find(
    ({ kind, dependencies }) => kind !== 'oracle' && dependencies.some((before) => before.kind === 'oracle'),
  );
  if (stuck) throw new ScenarioError('events', `${stuck.id} depends on an event of the oracle that ends no turn`);
  return [...events, ...conditions];
}
