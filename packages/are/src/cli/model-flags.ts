// How a command names the model of an agent: a folder, or a server of the user's.
import { DEFAULT_RETRIES, DEFAULT_WITHIN } from '@projected-grpo-lab/are/agents/react/endpoint.ts';
import { PARAMETERS } from '@projected-grpo-lab/are/agents/react/parameters.ts';
import type { GenerationTime } from '@projected-grpo-lab/are/agents/types.ts';
import { integer, list, number, oneOf, text, type Values } from '../args.ts';
import { deviceFlags } from '../device-flags.ts';
import { PROMPT_FLAGS, THINKING_FLAG } from '../model/prompts.ts';

/** What a server is not sent, of an agent, a judge or a user's model. */
export const leaveOutFlag = (whose: string) =>
  list(
    PARAMETERS,
    `Parameters that ${whose} is not sent, where it refuses them. max_completion_tokens takes the place of max_tokens by itself.`,
  );

export const MODEL_FLAGS = {
  model: text(
    'DIR',
    'With --agent react: the folder of a model with a chat template, in Hugging Face’s layout or with an ONNX file under onnx/.',
    null,
  ),
  ...PROMPT_FLAGS,
  endpoint: text('URL', 'With --agent react: an OpenAI-compatible server, such as http://localhost:8000/v1.', null),
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
  ...deviceFlags('What a model of a folder is computed on.'),
} as const;
export type ModelFlags = Values<typeof MODEL_FLAGS>;

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
