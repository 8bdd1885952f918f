// The one kind of condition that a file may have: a turn's, known by its name. Without the oracle's answers nothing is judged; the
// agent's events get the oracle's ids by what was noted when the file was made: which tool, called in which turn, is which event.
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

/** Ids by (tool, turn); of several such calls each gets the id, and the first is found by it. */
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
