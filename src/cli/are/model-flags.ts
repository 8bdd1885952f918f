// How a command names the model of an agent: a folder, or a server of the user's.
import { EndpointModel } from '../../environments/are/agents/react/endpoint.ts';
import { SpecError } from '../../lib/errors.ts';
import { integer, number, text, type Values } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import type { OpenedModel } from './local-model.ts';

export const MODEL_FLAGS = {
  model: text('DIR', 'With --agent react: the folder of a model with a chat template, in Hugging Face’s layout.', null),
  endpoint: text('URL', 'With --agent react: an OpenAI-compatible server, such as http://localhost:8000/v1.', null),
  'model-name': text('NAME', 'The model’s name on that server.', null),
  'key-env': text('NAME', 'The environment variable that holds the server’s key.', null),
  temperature: number('Of the model’s sampling; 0 is greedy.', 0.5, 0, 10),
  'max-tokens': integer('Tokens of one answer at most.', 2048, 1, 1_000_000),
  'max-calls': integer(
    'Questions to the model in a run at most, answers without an action counted too.',
    160,
    1,
    100_000,
  ),
  ...deviceFlags('What a model of a folder is computed on.'),
} as const;
export type ModelFlags = Values<typeof MODEL_FLAGS>;

/** Throws SpecError where no model is named, or two. */
export async function openModel(
  flags: ModelFlags,
  context: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
): Promise<OpenedModel> {
  const { model, endpoint, temperature, 'model-name': name, 'key-env': keyEnv, 'max-tokens': maxTokens } = flags;
  if ((model === null) === (endpoint === null))
    throw new SpecError(
      'An agent with a model needs one.',
      'Give --model DIR, or --endpoint URL with --model-name NAME.',
    );
  if (model !== null) return (await import('./local-model.ts')).openLocalModel({ ...flags, model }, context);
  if (name === null) throw new SpecError('The server’s model has no name.', 'Add --model-name NAME.');
  const key = keyEnv === null ? null : process.env[keyEnv];
  if (key === undefined)
    throw new SpecError(`There is no environment variable ${keyEnv}.`, 'Set it, or leave --key-env out.');
  const now = () => performance.now();
  const { signal } = context;
  const options = { base: endpoint as string, model: name, key, temperature, maxTokens, now, signal };
  return { seeded: (seed) => new EndpointModel({ ...options, seed }), free: () => {} };
}
