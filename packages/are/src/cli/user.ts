// Answers an agent's messages for the user: the person at the terminal, or a model.

import { integer, oneOf, text, type Values } from '@projected-grpo-lab/base/commands/args.ts';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { DEFAULT_REPLIES, ModelUser, type UserProxy } from '../agents/user-proxy.ts';
import { type Host, type OwnFlags, withoutAgents } from './host.ts';
import { leaveOutFlag, type ModelFlags } from './model-flags.ts';
import { openModel } from './open-model.ts';

export const userFlags = ({ models }: Host) => ({
  user: oneOf(
    ['human', 'model'],
    'Who answers the agent’s messages in the user’s place: you, at the terminal, or a model. Nobody where absent: the scenario alone speaks for the user.',
    null,
  ),
  ...models.flags.user,
  'user-endpoint': text(
    'URL',
    'With --user model: its server, an OpenAI-compatible one such as http://localhost:8000/v1.',
    null,
  ),
  'user-name': text('NAME', 'The model’s name on that server.', null),
  'user-key-env': text('NAME', 'The environment variable that holds the server’s key.', null),
  'user-leave-out': leaveOutFlag('the user’s server'),
  'user-brief': text('TEXT', 'What the model in the user’s place knows besides what the user has said.', null),
  'user-replies': integer('Answers in the user’s place in a run at most.', DEFAULT_REPLIES, 1, 1000),
});
type UserFlags = Values<ReturnType<typeof userFlags>> & OwnFlags;
type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'askText'>;

interface OpenedUser {
  /** The user of one run; undefined without one. */
  seeded(seed: number): UserProxy | undefined;
  free(): void;
}

/** Most tokens of an answer; a user's answers are short. */
const MOST_TOKENS = 512;

/** Throws SpecError if a model is to answer and none is named, one is named that is not to answer, or there is no terminal. */
export async function openUser(
  host: Host,
  flags: UserFlags & Pick<ModelFlags, 'retries' | 'answer-within'> & { concurrency: number },
  context: Context,
): Promise<OpenedUser> {
  const { 'user-model': model = null, 'user-endpoint': endpoint, 'user-name': name, 'user-brief': brief } = flags;
  if (flags.user !== 'model' && (model ?? endpoint ?? name ?? brief ?? flags['user-leave-out']) !== null)
    throw new SpecError('A user’s model is described that is not asked.', 'Add --user model, or leave the rest out.');
  if (flags.user === null) return { seeded: () => undefined, free: () => {} };
  if (flags.user === 'human') {
    const { askText } = context;
    if (!askText) throw new SpecError('There is no terminal to ask you at.', 'Run it in one, or give --user model.');
    if (flags.concurrency > 1) throw new SpecError('You answer one run at a time.', 'Leave --concurrency out.');
    const human: UserProxy = {
      async reply(turns) {
        const answer = await askText(`The agent writes: ${turns.at(-1)?.content ?? ''}\nYour answer (none: Enter) > `);
        if (answer === null) throw new StoppedError('stopped', 'A run that you answer is begun anew.');
        return answer;
      },
    };
    return { seeded: () => human, free: () => {} };
  }
  if (flags.concurrency > 1 && model !== null)
    throw new SpecError('A folder’s model answers one run at a time.', 'Leave --concurrency out.');
  const opened = await openModel(
    host,
    {
      ...withoutAgents(host, flags),
      model,
      endpoint,
      answers: null,
      'model-name': name,
      'key-env': flags['user-key-env'],
      'leave-out': flags['user-leave-out'],
      temperature: 0.5,
      'max-tokens': MOST_TOKENS,
      'max-calls': 1,
      thinking: null,
    },
    context,
    '--user-leave-out',
  );
  return { seeded: (seed) => new ModelUser(opened.seeded(seed), brief), free: opened.free };
}
