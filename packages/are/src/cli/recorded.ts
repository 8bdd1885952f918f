// `--answers TRACE`: replays the recorded answers of a stored run in order, so that the run is played and judged again without the model. A
// question that was not recorded is an error: it has no answer by the model.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import * as z from 'zod/mini';
import type { ChatAnswer } from '../chat-model.ts';
import type { OpenedModel } from './opened.ts';
import { readTrace } from './scenario-set.node.ts';

const count = z.number().check(z.gte(0));
const logSchema = z.union([
  z.object({
    log_type: z.literal('llm_input'),
    content: z.array(z.object({ role: z.string(), content: z.string() })).check(z.minLength(1)),
  }),
  z.object({
    log_type: z.literal('llm_output'),
    content: z.string(),
    prompt_tokens: count,
    completion_tokens: count,
    completion_duration: count,
  }),
]);

interface RecordedAnswer {
  /** The last turn of the conversation that was answered. */
  readonly asked: string;
  readonly answer: ChatAnswer;
}

/** Throws FormatError if the trace has no run of a model, ScenarioError if the file is no trace. */
export async function openRecorded(path: string): Promise<OpenedModel> {
  const { metadata, world_logs } = await readTrace(path);
  const recorded = recordedIn(world_logs);
  if (recorded.length === 0)
    throw new FormatError(`${path} has no answers of a model.`, 'Name a trace that `are run … --trace` wrote of one.');
  const id = await contentKey(recorded);
  return { id, seeded: () => modelOf(path, metadata.simulation?.model_id ?? path, recorded), free: () => {} };
}

/** Logs of other programs need not be JSON. */
function jsonOf(log: string): unknown {
  try {
    return parseJsonText(log);
  } catch {
    return null;
  }
}

function recordedIn(logs: readonly string[]): RecordedAnswer[] {
  const recorded: RecordedAnswer[] = [];
  let question = '';
  for (const log of logs) {
    const { data } = logSchema.safeParse(jsonOf(log));
    if (data?.log_type === 'llm_input') question = data.content.at(-1)?.content ?? '';
    if (data?.log_type !== 'llm_output') continue;
    const { content: text, prompt_tokens: inputTokens, completion_tokens: outputTokens } = data;
    recorded.push({ asked: question, answer: { text, inputTokens, outputTokens, seconds: data.completion_duration } });
  }
  return recorded;
}

function modelOf(path: string, name: string, recorded: readonly RecordedAnswer[]) {
  let next = 0;
  return {
    name,
    async answer(turns: readonly { readonly content: string }[]): Promise<ChatAnswer> {
      const found = recorded[next++];
      if (found !== undefined && found.asked === turns.at(-1)?.content) return found.answer;
      throw new FormatError(
        `Question ${next} of this run was not asked in the run of ${path}, which has ${recorded.length} answers.`,
        'Play the same scenario under the same options, or ask the model itself.',
      );
    },
  };
}
