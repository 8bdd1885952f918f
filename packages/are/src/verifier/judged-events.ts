// Selects the events that the verifier judges, and their tool names: the agent's writes, and the actions of environment and user; without
// failed ones and noise.
import { type CompletedEvent, isMessageToUser, toolNameOf } from '../events/completed.ts';

/** Prefix of noise ids. */
export const NOISE = 'env_expansion';

export const isJudged = (event: CompletedEvent): boolean => {
  const { type, action, error, id } = event;
  if (action === null || error !== null) return false;
  if (type === 'ENV' || type === 'USER') return !id.includes(NOISE);
  if (type !== 'AGENT') return false;
  // An agent's inner `add_email` counts as the environment's; asking for a quotation writes only to its history.
  if (isInnerEmail(event)) return true;
  const isQuotation = action.className === 'CabApp' && action.functionName === 'get_quotation';
  return action.operation === 'WRITE' && !isQuotation;
};

const isInnerEmail = ({ type, action }: CompletedEvent): boolean =>
  type === 'AGENT' &&
  action?.functionName === 'add_email' &&
  (action.className === 'EmailClientApp' || action.className === 'EmailClientV2');

export const judgedType = (event: CompletedEvent): CompletedEvent['type'] => (isInnerEmail(event) ? 'ENV' : event.type);

/** `makedirs` counts as `mkdir`. */
export const judgedName = (event: CompletedEvent): string => {
  const name = toolNameOf(event);
  const isMakedirs = event.type === 'AGENT' && name === 'SandboxLocalFileSystem__makedirs';
  return isMakedirs ? 'SandboxLocalFileSystem__mkdir' : name;
};

/** Judged events by turn: the agent's message to the user ends one, and belongs to it. */
export function byTurn(log: readonly CompletedEvent[]): CompletedEvent[][] {
  const turns: CompletedEvent[][] = [[]];
  for (const event of log.filter(isJudged)) {
    turns.at(-1)?.push(event);
    if (isMessageToUser(event)) turns.push([]);
  }
  return turns;
}
