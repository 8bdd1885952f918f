// A model behind a server that the user names. The worker sends the requests. Address, name and key stay in this tab: no link, trace or
// database contains them, and opening a link does not set them.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

export interface ServerSettings {
  /** For example `http://localhost:8000/v1`. */
  readonly base: string;
  /** The model's name on the server. */
  readonly model: string;
  /** Empty if there is no key. */
  readonly key: string;
}

export const NO_SERVER: ServerSettings = { base: '', model: '', key: '' };

/** Throws SpecError if something is missing. */
export function namedServer(server: ServerSettings | null | undefined): ServerSettings {
  if (!server || server.base.trim() === '')
    throw new SpecError('No server is named.', 'Give its address under Agent, such as http://localhost:8000/v1.');
  if (server.model.trim() === '')
    throw new SpecError('The server’s model has no name.', 'Give its name on the server.');
  return { base: server.base.trim(), model: server.model.trim(), key: server.key.trim() };
}
