// A model behind a server that the user names, as what an agent asks. The worker asks it; address, name and key are of this tab alone: no
// link, trace or store has them, and a link that is opened brings none along.
import { type ChatTurn, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { LabClient } from '../../lab/client.ts';
import { type HowAsked, stopperOf, untilAborted } from './asking.ts';

export interface ServerSettings {
  /** `http://localhost:8000/v1` */
  readonly base: string;
  /** The model's name there. */
  readonly model: string;
  /** Empty: none. */
  readonly key: string;
}

export const NO_SERVER: ServerSettings = { base: '', model: '', key: '' };

/** Throws SpecError where something is missing. */
export function namedServer(server: ServerSettings | null | undefined): ServerSettings {
  if (!server || server.base.trim() === '')
    throw new SpecError('No server is named.', 'Give its address under Agent, such as http://localhost:8000/v1.');
  if (server.model.trim() === '')
    throw new SpecError('The server’s model has no name.', 'Give its name on the server.');
  return { base: server.base.trim(), model: server.model.trim(), key: server.key.trim() };
}

/** Throws PromptTooLong, FormatError, or what the signal was aborted with. */
export async function askServer(
  client: Pick<LabClient, 'request'>,
  id: string,
  server: ServerSettings,
  turns: readonly ChatTurn[],
  { stops, seed, temperature, maxNew, signal, onText }: HowAsked,
) {
  const { base, model, key } = namedServer(server);
  return untilAborted(signal, stopperOf(client, 'stopServer', id), async () => {
    onText('');
    const found = await client.request('askServer', {
      id,
      base,
      model,
      turns,
      seed,
      temperature,
      key: key === '' ? null : key,
      stop: stops,
      maxTokens: maxNew,
    });
    if ('tooLong' in found) throw new PromptTooLong(found.tooLong);
    const { text, inputTokens, outputTokens } = found.answer;
    onText(text);
    return { text, inputTokens, outputTokens };
  });
}
