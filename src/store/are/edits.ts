// What a person wants otherwise in a run: calls of the agent, as text, since that is how they are edited and how a link keeps them. What
// cannot be read is said before the run is begun.
import type { Edit } from '@projected-grpo-lab/are/agents/edited.ts';
import { PythonError } from '@projected-grpo-lab/are/python-error.ts';
import { JsonTextError, parsePythonJson } from '@projected-grpo-lab/are/python-json.ts';
import { bind } from '@projected-grpo-lab/are/tool.ts';
import type { App } from '@projected-grpo-lab/are/types.ts';
import { type Args, isDict } from '@projected-grpo-lab/are/value.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

export interface CallEdit {
  /** Of the agent's act, from 0. */
  readonly at: number;
  readonly app: string;
  readonly tool: string;
  /** JSON. */
  readonly args: string;
  readonly thought: string;
}

/** Throws SpecError. */
export function editOf({ at, app, tool, args, thought }: CallEdit): Edit {
  const said = thought.trim();
  return { at, action: { kind: 'call', app, tool, args: argsIn(args), ...(said !== '' && { thought: said }) } };
}

/** Throws SpecError. */
export function argsIn(text: string): Args {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new SpecError(`The arguments are no JSON: ${error.message}.`, 'Write them as {"name": value}.');
  }
  if (!isDict(value as Args)) throw new SpecError('The arguments are no object.', 'Write them as {"name": value}.');
  return value as Args;
}

/** Why the tool will refuse such arguments; null where it takes them. Throws SpecError where they cannot be read. */
export function refusal(
  apps: readonly App[],
  { app, tool, args }: Pick<CallEdit, 'app' | 'tool' | 'args'>,
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
