// Flags that name an agent's model: on a server, or a local one of the program.

import { integer, list, number, oneOf, text, type Values } from '@projected-grpo-lab/base/commands/args.ts';
import { THINKING_FLAG } from '@projected-grpo-lab/base/commands/thinking-flag.ts';
import { DEFAULT_RETRIES, DEFAULT_WITHIN } from '../agents/react/endpoint.ts';
import { PARAMETERS } from '../agents/react/parameters.ts';
import type { GenerationTime } from '../agents/types.ts';
import type { Host, OwnFlags } from './host.ts';

/** Parameters that are not sent to the server, for the model of an agent, a judge or a user. */
export const leaveOutFlag = (whose: string) =>
  list(
    PARAMETERS,
    `Parameters that ${whose} is not sent, where it refuses them. max_completion_tokens takes the place of max_tokens by itself.`,
  );

export const modelFlags = ({ models }: Host) => ({
  ...models.flags.agent,
  endpoint: text('URL', 'With --agent react: an OpenAI-compatible server, such as http://localhost:8000/v1.', null),
  answers: text(
    'TRACE',
    'With --agent react: what the model of a kept run said (are run … --trace), said again; nobody is asked.',
    null,
  ),
  'model-name': text('NAME', 'The model’s name on that server.', null),
  'key-env': text('NAME', 'The environment variable that holds the server’s key.', null),
  'leave-out': leaveOutFlag('the server'),
  retries: integer(
    'Further tries of a question where the server is busy (429, 5xx; Retry-After is kept to) or the connection breaks.',
    DEFAULT_RETRIES,
    0,
    20,
  ),
  'answer-within': integer('Seconds for one answer of a server.', DEFAULT_WITHIN, 1, 86_400),
  temperature: number('Of the model’s sampling; 0 is greedy.', 0.5, 0, 10),
  'max-tokens': integer('Tokens of one answer at most.', 2048, 1, 1_000_000),
  'max-calls': integer(
    'Questions to the model in a run at most, answers without an action counted too.',
    160,
    1,
    100_000,
  ),
  thinking: THINKING_FLAG,
  ...models.device('What a model of a folder is computed on.'),
});
export type ModelFlags = Values<ReturnType<typeof modelFlags>> & OwnFlags;

export const GENERATION_FLAGS = {
  generation: oneOf(
    ['fixed', 'instant', 'measured'],
    'What an agent’s thinking takes on the simulated clock: so many seconds, nothing, or what it took.',
    'fixed',
  ),
  seconds: number('Simulated seconds of an action, with --generation fixed.', 1, 0, 3600),
} as const;

export const generationOf = ({ generation, seconds }: Values<typeof GENERATION_FLAGS>): GenerationTime =>
  generation === 'fixed' ? { mode: 'fixed', seconds } : { mode: generation };
