// A scenario's file for agents that must not see the solution: without the oracle, with later turns depending on conditions that a run
// recognises by name, and with the earlier calls that later events refer to stored by tool and turn (the reference's
// preprocess_scenario_for_execution_without_oracle). A run of it is judged afterwards against the complete file.
import { dependsOn } from '../events/graph.ts';
import type { ActionEvent, OracleEvent, ScenarioEvent } from '../events/types.ts';
import type { AppClasses } from '../types.ts';
import { exportEvents } from './export.ts';
import { makeScenario } from './import.ts';
import type { ExecutionMetadata, Trace } from './schema.ts';
import { type Turns, turnsOf, withTurnConditions } from './turns.ts';

/** Throws ScenarioError. */
export function withoutOracle(trace: Trace, classes: AppClasses): Trace {
  const { events, id } = makeScenario(trace, classes);
  const turns = turnsOf(events);
  const execution = executionOf(events, turns);
  const nothing = () => ({ goesOn: true, oracleIdOf: new Map<string, string>() });
  const left = withTurnConditions(events, turns, nothing, id).filter(({ kind }) => kind !== 'oracle');
  dependOnFirstMessage(left);
  return {
    ...trace,
    metadata: { definition: trace.metadata.definition, execution },
    events: exportEvents(left),
    completed_events: [],
    world_logs: [],
  };
}

/** Messages of user and agent must be on one branch, and only the oracle connected the turns. */
function dependOnFirstMessage(events: readonly ScenarioEvent[]): void {
  const isFirst = ({ dependencies }: ScenarioEvent) => dependencies.length === 0;
  const condition = events.find((event) => event.kind === 'condition' && isFirst(event));
  const message = events.find(
    (event) => event.kind === 'action' && event.tool.name === 'send_message_to_agent' && isFirst(event),
  );
  if (condition && message) dependsOn(condition, [message]);
}

function executionOf(events: readonly ScenarioEvent[], turns: Turns): ExecutionMetadata {
  const oracle = new Map(
    events.flatMap((event): [string, OracleEvent][] => (event.kind === 'oracle' ? [[event.id, event]] : [])),
  );
  const turnOf = ({ id }: ScenarioEvent) => turns.of.get(id) ?? -1;
  const toolOf = ({ appName, functionName }: OracleEvent) => `${appName}__${functionName}`;
  const pairs = events.flatMap((event) =>
    event.kind === 'action' ? parentsOf(event, oracle).map((parent) => ({ event, parent })) : [],
  );
  return {
    placeholders: pairs.map(({ event, parent }) => ({
      parent_tool_name: toolOf(parent),
      parent_turn_idx: turnOf(parent),
      parent_event_id: parent.id,
      placeholder_turn_idx: turnOf(event),
      placeholder_event_id: event.id,
    })),
    // Only the oracle distinguishes two calls of the same tool in a turn.
    has_placeholder_conflicts: pairs.some(({ parent }) =>
      [...oracle.values()].some(
        (other) => other !== parent && toolOf(other) === toolOf(parent) && turnOf(other) === turnOf(parent),
      ),
    ),
  };
}

/** The oracle's events whose results are arguments of an event of the user or the environment. */
const parentsOf = ({ args }: ActionEvent, oracle: ReadonlyMap<string, OracleEvent>): OracleEvent[] =>
  Object.values(args).flatMap((value) => {
    const [, id] = /^\{\{([^.]*).*\}\}$/s.exec(typeof value === 'string' ? value : '') ?? [];
    const parent = oracle.get(id ?? '');
    return parent ? [parent] : [];
  });
