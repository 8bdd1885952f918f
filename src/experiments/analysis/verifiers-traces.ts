// A training run as saved rollouts of verifiers (PrimeIntellect-ai/verifiers, trace version 1, as of August 2026): a line of traces.jsonl is an
// episode with one trace, and members of a group name the same group. They are made from the samples of an Inspect log. Times of rollouts are
// not stored, so every time is the run's start; token ids are not stored either, so nodes have none.

import { withDefaults } from '../config/spec.ts';
import type { RolloutRecord, RunRecord } from '../records/events.ts';
import { type InspectOptions, type Sample, samplesOf } from './inspect-log.ts';

export const TRACES_FILE = 'traces.jsonl';
const TRACE_VERSION = 1;

const FINISH: Readonly<Record<string, string>> = { stop: 'stop', max_tokens: 'length' };

interface Message {
  readonly role: string;
  readonly content: string;
}
interface Choice {
  readonly stop_reason: string;
}
interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** The lines of one step. */
export const tracesOf = (
  run: RunRecord,
  rollouts: readonly RolloutRecord[],
  options: Pick<InspectOptions, 'codec' | 'part'>,
): string[] =>
  samplesOf(run, rollouts, { ...options, logprobs: false }).map((sample) => JSON.stringify(episodeOf(run, sample)));

function episodeOf(run: RunRecord, sample: Sample): object {
  const { environment, temperature, maxNew, seed } = withDefaults(run.spec);
  const { arm } = run.spec;
  const start = run.createdAt / 1000;
  const { metadata, messages, output, uuid, scores } = sample as Sample & {
    metadata: { problem: string; step: number; source: string };
    messages: readonly Message[];
    output: { model: string; choices: readonly [Choice]; usage?: Usage };
    uuid: string;
  };
  const task = { type: 'LabTask', data: { name: metadata.problem, prompt: promptOf(messages) } };
  const sampling = { temperature, max_tokens: maxNew };
  const { reward, ...metrics } = Object.fromEntries(Object.entries(scores).map(([name, { value }]) => [name, value]));
  const last = messages.length - 1;
  const finish = FINISH[output.choices[0].stop_reason];
  const calls = messages.flatMap(({ role }, node) =>
    role === 'assistant'
      ? [{ node, model: output.model, sampling, ...(node === last && finish && { finish_reason: finish }) }]
      : [],
  );
  const { usage } = output;
  // Token counts are of the whole rollout, so they are given only if it has a single model call.
  const [only] = calls;
  const counted =
    calls.length === 1 && usage
      ? [{ ...only, usage: { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens } }]
      : calls;
  return {
    id: uuid,
    env: { id: environment },
    task,
    group: { id: sample.id },
    run: { type: 'train', id: run.id, name: `${arm}-${seed}`, work: { type: 'train', step: metadata.step } },
    ok: true,
    errors: [],
    traces: [
      {
        version: TRACE_VERSION,
        id: `${uuid}-trace`,
        verifiers: { version: `projected-grpo-lab ${run.appVersion}` },
        task,
        agent: { config: { model: output.model, sampling }, name: 'agent', trainable: metadata.source !== 'teacher' },
        tools: [],
        nodes: messages.map(({ role, content }, node) => ({
          ...(node > 0 && { parent: node - 1 }),
          message: { role, content },
          sampled: role === 'assistant',
          timestamp: start,
          token_ids: [],
          mask: [],
          is_content: [],
          logprobs: [],
        })),
        calls: counted,
        request_rewrites: [],
        response_rewrites: [],
        rewards: reward === undefined ? {} : { reward: { score: reward, weight: 1 } },
        metrics,
        info: { ...metadata, arm, seed, epoch: sample.epoch },
        extra_usage: [],
        is_completed: true,
        ok: true,
        errors: [],
        timing: { start },
      },
    ],
  };
}

/** Messages before the model's first answer. */
const promptOf = (messages: readonly Message[]): Message[] =>
  messages
    .slice(
      0,
      messages.findIndex(({ role }) => role === 'assistant'),
    )
    .map(({ role, content }) => ({ role, content }));
