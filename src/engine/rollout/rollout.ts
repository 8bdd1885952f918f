// Rollouts: all sequences of a request are sampled in one ragged batch with a key/value cache (rows.ts). A prompt is prefilled once,
// however many sequences start from it, and an episode's turns follow one another on the same cache (episode-batch.ts); a single
// completion is an episode of one turn. Tokens are sampled on the device with counter-based random numbers (key per sequence and
// turn, counter = token), so a sequence does not depend on the rest of its batch.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import type { LayerContext } from '../passes/layer.ts';
import type { Generated, GenerateRequest, SampledEpisode } from '../types.ts';
import { type RolloutRequest, sampleBatch } from './episode-batch.ts';

/** Most sequences decoded together. A GPU needs many; on a CPU the key/value cache should stay small. */
const BATCH = { cpu: 128, webgpu: 512 } as const;
/** Most elements of a decoding step's logits (128 MiB): a large vocabulary makes the batch smaller, which changes no token. */
const ROLLOUT_LOGITS = 1 << 25;
/** Most end tokens: every sampled token is compared with each. */
const MOST_ENDS = 64;

/** Number of sequences decoded together for a vocabulary size and a device. */
export function rolloutBatch(kind: DeviceKind, vocab: number, maxBindingBytes: number): number {
  const elements = Math.min(ROLLOUT_LOGITS, maxBindingBytes / 4);
  return Math.max(1, Math.min(BATCH[kind], Math.floor(elements / vocab)));
}

/** `activations` receives the computed activations if the request is sampled in one batch. */
export async function generate(
  ctx: LayerContext,
  request: GenerateRequest,
  activations: ActivationCache | null = null,
): Promise<Generated[]> {
  const episodes = await generateEpisodes(ctx, {
    ...request,
    activations,
    sequences: request.sequences.map(({ prompt, key, maxNew }) => ({ prompt, key: () => key, maxNew })),
    maxTokens: request.maxNew,
    maxTurns: 1,
    act: null,
  });
  return episodes.map(({ tokens, logprobs, turns: [{ ended }] }) => ({ tokens, logprobs, ended }));
}

export async function generateEpisodes(ctx: LayerContext, request: RolloutRequest): Promise<SampledEpisode[]> {
  check(ctx, request);
  const results: SampledEpisode[] = [];
  const total = { prefilled: 0, decoded: 0, alike: 0, idle: 0 };
  let tokens = 0;
  const { length } = request.sequences;
  const batch = rolloutBatch(ctx.device.kind, ctx.config.vocab, ctx.device.limits.maxBindingBytes);
  for (let from = 0; from < length; from += batch) {
    const to = Math.min(from + batch, length);
    ctx.device.repeats?.(true);
    const { episodes, work } = await sampleBatch(ctx, batch < length ? { ...request, activations: null } : request, {
      from,
      to,
      onTokens: (done, running) => request.onProgress?.(tokens + done, running + length - to),
      breathe: async (done) => request.breathe?.(tokens + done),
    }).finally(() => ctx.device.repeats?.(false));
    for (const kind of ['prefilled', 'decoded', 'alike', 'idle'] as const) total[kind] += work[kind];
    for (const one of episodes) {
      tokens += one.logprobs.length;
      results.push(one);
    }
  }
  request.onWork?.(total);
  return results;
}

function check({ config }: LayerContext, request: RolloutRequest): void {
  const { prompts, sequences, endTokens, maxTokens } = request;
  for (const name of ['maxNew', 'maxTokens', 'maxTurns', 'firstTurn'] as const) {
    const budget = name === 'firstTurn' ? (request.firstTurn ?? 1) : request[name];
    if (Number.isInteger(budget) && budget > 0) continue;
    throw new ShapeError(`${name} is ${budget}`, 'Give a whole number from 1.');
  }
  for (const { prompt, maxNew = 1 } of sequences) {
    if (!Number.isInteger(maxNew) || maxNew < 1 || maxNew > request.maxNew)
      throw new ShapeError(
        `a sequence is to have ${maxNew} tokens, the request at most ${request.maxNew}`,
        'Give a whole number from 1 to maxNew.',
      );
    const length = prompts[prompt]?.length ?? 0;
    if (length === 0)
      throw new ShapeError(`prompt ${prompt} of ${prompts.length} is missing or empty`, 'Give it a token.');
    if (length + maxTokens > config.maxPositions) {
      throw new ShapeError(
        `${length} prompt tokens + ${maxTokens} new ones exceed the model's ${config.maxPositions} positions`,
        request.act ? 'Lower maxTokens or shorten the prompt.' : 'Lower max_new or shorten the prompt.',
      );
    }
  }
  if (endTokens.length > MOST_ENDS)
    throw new ShapeError(`${endTokens.length} end tokens`, `Give at most ${MOST_ENDS}.`);
}
