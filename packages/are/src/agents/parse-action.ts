// Parses an action from a model's output: `Thought: … Action: {"action": "App__tool", "action_input": {…}}`. Errors have the reference's
// class and text, since the model is shown them and tries again.
import { JsonTextError, parsePythonJson } from '../python-json.ts';
import { pythonPretty, pythonRepr, pythonText } from '../python-text.ts';
import { type Arg, isDict, isList } from '../value.ts';

type AgentErrorKind = 'InvalidActionAgentError' | 'JsonParsingAgentError' | 'FormatError';

/** An error whose message is shown to the agent, not to a person. */
export class AgentError extends Error {
  constructor(
    readonly kind: AgentErrorKind,
    text: string,
  ) {
    super(text);
    this.name = kind;
  }
}

interface ParsedAction {
  /** Text before the action. */
  readonly rationale: string;
  readonly toolName: string;
  readonly appName: string;
  /** Null if the name has no app: `final_answer`. */
  readonly actionName: string | null;
  /** Arguments by name, a text if the model gave one, or "" if it gave none. */
  readonly input: Arg;
}

const ACTION = 'Action:';

export function parseAction(output: string): ParsedAction {
  const { rationale, action } = splitAction(output);
  return { rationale, ...parseCall(action) };
}

/** Splits the output at its only `Action:`. */
export function splitAction(output: string): { rationale: string; action: string } {
  const parts = output.split(ACTION);
  const [rationale, action] = parts;
  if (rationale === undefined || action === undefined) {
    throw new AgentError(
      'InvalidActionAgentError',
      `Error: No '${ACTION}' token provided in your output.\nYour output:\n${output}\n. Be sure to include an action, prefaced with ` +
        `'${ACTION}'!\nException: Expected at least 2 parts after splitting by '${ACTION}', got ${parts.length}`,
    );
  }
  if (parts.length > 2) {
    throw new AgentError(
      'FormatError',
      `Found multiple actions in output ${output} - please provide only one thought and one action`,
    );
  }
  return { rationale, action };
}

/** Reads the JSON after `Action:`. */
export function parseCall(action: string): Omit<ParsedAction, 'rationale'> {
  try {
    const call = parseBlob(action.replaceAll('```json', '').replaceAll('```', ''));
    const name = isDict(call) && Object.hasOwn(call, 'action') ? (call.action ?? null) : null;
    if (name === null || !isDict(call))
      throw new Reason(`Missing keys: ${missingKeys(call)} in blob ${pythonRepr(call)}`);
    const toolName = pythonText(name);
    const parts = toolName.split('__');
    if (parts.length > 2) throw new Reason('too many values to unpack (expected 2)');
    const given = Object.hasOwn(call, 'action_input') ? (call.action_input ?? null) : null;
    return {
      toolName,
      appName: parts[0] ?? toolName,
      actionName: parts[1] ?? null,
      input: isFalsy(given) ? '' : given,
    };
  } catch (error) {
    if (!(error instanceof Reason)) throw error;
    throw new AgentError(
      'JsonParsingAgentError',
      `Could not parse the given action: ${error.message} - return was ${pythonPretty(action)}`,
    );
  }
}

/** Why an action cannot be parsed. */
class Reason extends Error {}

const isFalsy = (value: Arg): boolean =>
  isList(value) ? value.length === 0 : isDict(value) ? Object.keys(value).length === 0 : !value;

const missingKeys = (call: Arg): string =>
  pythonRepr(['action', 'action_input'].filter((key) => !isDict(call) || !Object.hasOwn(call, key)));

/** Parses from the first brace to the last. Escaped quotes and triple quotes become single quotes. */
function parseBlob(text: string): Arg {
  const last = text.lastIndexOf('}');
  if (last < 0) throw new Reason('Error in parsing the JSON blob: list index out of range');
  const blob = text
    .slice(text.indexOf('{'), last + 1)
    .replaceAll('\\"', "'")
    .replace(/"""(.*?)"""/gs, "'$1'");
  try {
    return parsePythonJson(blob, false);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    if (blob.slice(error.at - 1, error.at + 2) === '},\n') {
      throw new Reason(
        'JSON is invalid: you probably tried to provide multiple tool calls in one action. PROVIDE ONLY ONE TOOL CALL.',
      );
    }
    throw new Reason(
      `The JSON blob you used is invalid due to the following error: ${error.message}.\nJSON blob was: ${blob}, decoding failed on ` +
        `that specific part of the blob:\n'${blob.slice(error.at - 4, error.at + 5)}'.`,
    );
  }
}
