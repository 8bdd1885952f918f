// Opens the model that a command's flags name, as an agent for each run.
import { EndpointModel } from '@projected-grpo-lab/are/agents/react/endpoint.ts';
import { expertOf } from '@projected-grpo-lab/are/augment/expert.ts';
import type { ChatModel } from '@projected-grpo-lab/are/chat-model.ts';
import type { Verbosity } from '@projected-grpo-lab/are/notifications/notified.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { answerIn } from '../../text/thinking.ts';
import type { CommandContext } from '../command.ts';
import type { ModelFlags } from './model-flags.ts';
import { type AgentName, type OpenedAgent, type OpenedModel, reactAgent } from './players.ts';

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal'>;

/** null: an agent without a model. Throws SpecError where no model is named, or two. */
export async function openAgent(
  agent: AgentName,
  flags: ModelFlags,
  context: Context,
  verbosity?: Verbosity,
): Promise<OpenedAgent | null> {
  if (agent === 'language') {
    const { model } = flags;
    if (model === null)
      throw new SpecError(
        'An agent in the compact language needs the folder of its model.',
        'Give --model public/models/tiny-agent.',
      );
    return (await import('./writer.ts')).openLanguageAgent({ ...flags, model }, context);
  }
  if (agent !== 'react') return null;
  const opened = await openModel(flags, context);
  const maxCalls = flags['max-calls'];
  const name = opened.seeded(0).name;
  return {
    name,
    id: opened.id,
    ...(opened.thinking && { thinking: opened.thinking }),
    free: opened.free,
    // Draws of its own for each task of each run.
    expert: (seed) => expertOf((task) => reactAgent(opened.seeded(1000 * (seed + 1) + task), maxCalls, verbosity)),
    seeded: (seed, through = (model) => model) => reactAgent(through(opened.seeded(seed)), maxCalls, verbosity),
  };
}

/** @param leaveOutName the flag by which this model's server is not sent a parameter. Throws SpecError where no model is named, or two. */
export async function openModel(
  flags: ModelFlags,
  context: Context,
  leaveOutName = '--leave-out',
): Promise<OpenedModel> {
  const { model, endpoint, temperature, 'model-name': name, 'key-env': keyEnv, 'max-tokens': maxTokens } = flags;
  const { 'leave-out': leaveOut } = flags;
  if ((model === null) === (endpoint === null))
    throw new SpecError(
      'An agent with a model needs one.',
      'Give --model DIR, or --endpoint URL with --model-name NAME.',
    );
  if (model !== null && leaveOut !== null)
    throw new SpecError(`${leaveOutName} is for a server, and a folder is named.`, 'Leave it out.');
  if (model !== null) return (await import('./writer.ts')).openLocalModel({ ...flags, model }, context);
  if (flags['chat-template'] !== null)
    throw new SpecError('A server writes its model’s prompts itself.', 'Leave --chat-template out.');
  if (name === null) throw new SpecError('The server’s model has no name.', 'Add --model-name NAME.');
  const key = keyEnv === null ? null : process.env[keyEnv];
  if (key === undefined)
    throw new SpecError(`There is no environment variable ${keyEnv}.`, 'Set it, or leave --key-env out.');
  const now = () => performance.now();
  const { signal, progress } = context;
  const server = new EndpointModel({
    base: endpoint as string,
    model: name,
    key,
    temperature,
    maxTokens,
    now,
    signal,
    retries: flags.retries,
    withinMs: 1000 * flags['answer-within'],
    ...(leaveOut && { leaveOut }),
    leavingOut: `Leave it out: ${leaveOutName}`,
    onNote: progress.note,
    onRetry: (why, waitMs) => progress.note(`${why}; it is asked again in ${waitMs / 1000} s.`),
  });
  if (Object.keys(flags['chat-arg']).length > 0)
    throw new SpecError('--chat-arg is for the template of a folder’s model; a server has its own.', 'Leave it out.');
  if (flags.thinking !== 'strip') return { id: name, seeded: (seed) => server.seeded(seed), free: () => {} };
  const seeded = (seed: number): ChatModel => {
    const model = server.seeded(seed);
    return {
      name: model.name,
      async answer(turns, asked) {
        const answer = await model.answer(turns, asked);
        return { ...answer, text: answerIn(answer.text) };
      },
    };
  };
  return { id: name, thinking: 'strip', seeded, free: () => {} };
}
