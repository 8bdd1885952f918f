// The one kind of condition that a file may have: the condition of a turn, identified by its name. Without the oracle nothing is judged;
// the agent's events get the oracle's ids from notes made when the file was written, which map tool and turn to an event.
import type { CompletedEvent } from '../events/completed.ts';
import { isMessageToUser } from '../events/completed.ts';
import type { ConditionEvent } from '../events/types.ts';
import { PythonError, valueError } from '../python-error.ts';
import type { ExecutionMetadata } from './schema.ts';
import { turnCondition } from './turns.ts';

export function exportedCondition(
  name: string,
  execution: ExecutionMetadata | null,
): Pick<ConditionEvent, 'name' | 'predicate'> {
  if (execution === null) throw valueError('execution_metadata is required for CONDITION events');
  if (!name.startsWith('wrapped_condition__turn_idx_')) {
    throw new PythonError('NotImplementedError', `Condition ${name} is not supported yet.`);
  }
  const [, turn] = /^wrapped_condition__turn_idx_(\d+)__scenario_id_((?!.*__).*)$/s.exec(name) ?? [];
  if (turn === undefined) throw valueError(`Invalid condition function name format: ${name}`);
  const predicate = turnCondition(
    (run) => ({ goesOn: true, oracleIdOf: oracleIds(execution, run.log.list()) }),
    Number(turn),
  );
  return { name, predicate };
}

/** Oracle ids by (tool, turn); several such calls all get the id, and a placeholder finds the first. */
function oracleIds(execution: ExecutionMetadata, events: readonly CompletedEvent[]): Map<string, string> {
  const known = new Map(
    execution.placeholders.map((noted) => [
      `${noted.parent_tool_name} ${noted.parent_turn_idx}`,
      noted.parent_event_id,
    ]),
  );
  const ids = new Map<string, string>();
  let turn = 0;
  for (const event of events) {
    if (event.type === 'AGENT' && event.action) {
      const oracleId = known.get(`${event.action.appName}__${event.action.functionName} ${turn}`);
      if (oracleId !== undefined) ids.set(event.id, oracleId);
    }
    if (isMessageToUser(event)) turn++;
  }
  return ids;
}
