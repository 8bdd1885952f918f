// A user's edits of a run: calls of the agent as text, in which form they are edited and stored in a link. An invalid edit is refused
// before the run begins.

import type { Edit } from '@projected-grpo-lab/are/agents/replay.ts';
import type { AgentAction } from '@projected-grpo-lab/are/agents/types.ts';
import { PythonError } from '@projected-grpo-lab/are/python-error.ts';
import { argJson, JsonTextError, parsePythonJson } from '@projected-grpo-lab/are/python-json.ts';
import { bind } from '@projected-grpo-lab/are/tool.ts';
import type { App } from '@projected-grpo-lab/are/types.ts';
import { type Args, isDict } from '@projected-grpo-lab/are/value.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { CallEdit, CallText } from '../protocol/agents.ts';

/** Throws SpecError. */
export const editOf = ({ at, ...call }: CallEdit): Edit => ({ at, action: actionOf(call) });

/** Throws SpecError. */
export function actionOf({ app, tool, args, thought }: CallText): AgentAction {
  const text = thought.trim();
  return { kind: 'call', app, tool, args: argsIn(args), ...(text !== '' && { thought: text }) };
}

/** An action as text; null for an idle act. */
export const actText = (action: AgentAction): CallText | null =>
  action.kind === 'idle'
    ? null
    : { app: action.app, tool: action.tool, args: argJson(action.args), thought: action.thought ?? '' };

/** Throws SpecError. */
export function argsIn(text: string): Args {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new SpecError(`The arguments are not JSON: ${error.message}.`, 'Write them as {"name": value}.');
  }
  if (!isDict(value as Args)) throw new SpecError('The arguments are not an object.', 'Write them as {"name": value}.');
  return value as Args;
}

/** Why the tool will refuse these arguments; null if it accepts them. Throws SpecError if they cannot be parsed. */
export function refusalReason(
  apps: readonly App[],
  { app, tool, args }: Pick<CallText, 'app' | 'tool' | 'args'>,
): string | null {
  const given = argsIn(args);
  const found = apps.find(({ name }) => name === app)?.tool(tool);
  if (!found) return `unknown tool ${app}__${tool}`;
  try {
    bind(found, given);
    return null;
  } catch (error) {
    if (error instanceof PythonError) return error.message;
    throw error;
  }
}
