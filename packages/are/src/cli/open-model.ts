// Opens the model that a command's flags name, as an agent for each run.

import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { answerIn } from '@projected-grpo-lab/base/thinking.ts';
import { EndpointModel } from '../agents/react/endpoint.ts';
import { expertOf } from '../augment/expert.ts';
import type { ChatModel } from '../chat-model.ts';
import type { Verbosity } from '../notifications/notified.ts';
import { type Host, orModel } from './host.ts';
import type { ModelFlags } from './model-flags.ts';
import type { AgentName, OpenedAgent, OpenedModel } from './opened.ts';
import { reactAgent } from './players.ts';
import { openRecorded } from './recorded.ts';

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal'>;

/** Null for an agent without a model. Throws SpecError if no model is named, or two. */
export async function openAgent(
  host: Host,
  agent: AgentName,
  flags: ModelFlags,
  context: Context,
  verbosity?: Verbosity,
): Promise<OpenedAgent | null> {
  if (agent === 'language') {
    const { model = null } = flags;
    if (model === null)
      throw new SpecError(
        'An agent in the compact language needs the folder of its model.',
        'Give --model public/models/tiny-agent.',
      );
    return host.models.openAgent({ ...flags, model }, context);
  }
  if (agent !== 'react') return null;
  const opened = await openModel(host, flags, context);
  const maxCalls = flags['max-calls'];
  const name = opened.seeded(0).name;
  return {
    name,
    id: opened.id,
    ...(opened.thinking && { thinking: opened.thinking }),
    free: opened.free,
    // Each task of each run has its own seed.
    expert: (seed) => expertOf((task) => reactAgent(opened.seeded(1000 * (seed + 1) + task), maxCalls, verbosity)),
    seeded: (seed, through = (model) => model) => reactAgent(through(opened.seeded(seed)), maxCalls, verbosity),
  };
}

/** @param leaveOutName the flag that leaves out a parameter for this model's server. Throws SpecError if no model is named, or two. */
export async function openModel(
  host: Host,
  flags: ModelFlags,
  context: Context,
  leaveOutName = '--leave-out',
): Promise<OpenedModel> {
  const { model = null, endpoint, temperature, 'model-name': name, 'key-env': keyEnv, 'max-tokens': maxTokens } = flags;
  const { 'leave-out': leaveOut } = flags;
  const { answers } = flags;
  if ([model, endpoint, answers].filter((one) => one !== null).length !== 1)
    throw new SpecError(
      'An agent with a model needs one.',
      `Give ${orModel(host, 'agent')}--endpoint URL with --model-name NAME, or --answers TRACE.`,
    );
  if (model !== null && leaveOut !== null)
    throw new SpecError(`${leaveOutName} is for a server, and a folder is named.`, 'Leave it out.');
  if (model !== null) return host.models.openModel({ ...flags, model }, context);
  if (answers !== null) {
    const unusable = {
      '--model-name': name,
      '--key-env': keyEnv,
      '--leave-out': leaveOut,
      '--thinking': flags.thinking,
    };
    const given = Object.entries(unusable).flatMap(([flag, value]) => (value === null ? [] : [flag]));
    const all = [...given, ...host.models.promptFlagsIn({ ...flags })];
    if (all.length > 0) throw new SpecError('With --answers no model is asked.', `Leave ${all.join(' and ')} out.`);
    return openRecorded(answers);
  }
  const unread = host.models.promptFlagsIn({ ...flags });
  if (unread.length > 0)
    throw new SpecError('A server writes its model’s prompts itself.', `Leave ${unread.join(' and ')} out.`);
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
