// A model behind a server that the user names, as what an agent asks. The worker asks it; address, name and key are of this tab alone: no
// link, trace or store has them, and a link that is opened brings none along.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

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
