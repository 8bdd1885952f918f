// Rollouts: every sequence of a request in one ragged batch with a key/value cache. A prompt is prefilled once, however many
// sequences start from it; tokens are sampled on the device by counter-based random numbers (key per sequence, counter = token),
// so what a sequence says does not depend on the batch around it. Ended sequences are dropped from the batch now and then.

import { type DeviceBuffer, type DeviceKind, readFloats, readUints } from '../kernels/device.ts';
import { copy, gatherRows, rmsnorm, sample, scatterRows } from '../kernels/ops.ts';
import { ShapeError, StoppedError } from '../lib/errors.ts';
import { type KeyValues, type LayerContext, layerForward, type RowMeta, takeActivations } from './layer.ts';
import type { Generated, GenerateRequest } from './types.ts';

const NONE = 0xffffffff;

/** Sequences decoded together. The GPU wants many; on a CPU the cache should stay small. */
export const BATCH = { cpu: 128, webgpu: 512 } as const;
/** Elements of a decoding step's logits (128 MiB): a large vocabulary makes the batch smaller, which changes no token. */
const ROLLOUT_LOGITS = 1 << 25;

/** Sequences decoded together, of a model and a device. */
export function rolloutBatch(kind: DeviceKind, vocab: number, maxBindingBytes: number): number {
  const elements = Math.min(ROLLOUT_LOGITS, maxBindingBytes / 4);
  return Math.max(1, Math.min(BATCH[kind], Math.floor(elements / vocab)));
}

/** Tokens between two looks at which sequences have ended: a read-back is free on the CPU, a stall on a GPU. */
const LOOK_EVERY = { cpu: 4, webgpu: 16 } as const;
/** The same where somebody reads along. */
const LISTEN_EVERY = { cpu: 1, webgpu: 4 } as const;

export async function generate(ctx: LayerContext, request: GenerateRequest): Promise<Generated[]> {
  check(ctx, request);
  const results: Generated[] = [];
  let tokens = 0;
  const batch = rolloutBatch(ctx.device.kind, ctx.config.vocab, ctx.device.limits.maxBindingBytes);
  for (let from = 0; from < request.sequences.length; from += batch) {
    const part = request.sequences.slice(from, from + batch);
    const onTokens = (done: number, running: number) =>
      request.onProgress?.(tokens + done, running + request.sequences.length - from - part.length);
    const breathe = async (done: number) => request.breathe?.(tokens + done);
    const generated = await generateBatch(ctx, request, part, { onTokens, breathe });
    for (const one of generated) {
      tokens += one.tokens.length;
      results.push(one);
    }
  }
  return results;
}

function check({ config }: LayerContext, { prompts, sequences, maxNew, endTokens }: GenerateRequest): void {
  for (const { prompt } of sequences) {
    const length = prompts[prompt]?.length ?? 0;
    if (length === 0)
      throw new ShapeError(`prompt ${prompt} of ${prompts.length} is missing or empty`, 'Give it a token.');
    if (length + maxNew > config.maxPositions) {
      throw new ShapeError(
        `${length} prompt tokens + ${maxNew} new ones exceed the model's ${config.maxPositions} positions`,
        'Lower max_new or shorten the prompt.',
      );
    }
  }
  if (endTokens.length > 2) throw new ShapeError(`${endTokens.length} end tokens`, 'Give at most two.');
}

/** Both get the tokens of this part so far. */
interface Followers {
  onTokens(done: number, running: number): void;
  breathe(done: number): Promise<void>;
}

async function generateBatch(
  ctx: LayerContext,
  request: GenerateRequest,
  sequences: GenerateRequest['sequences'],
  { onTokens, breathe }: Followers,
): Promise<Generated[]> {
  const { device, config, weights, arena } = ctx;
  const { hiddenSize: d, kvHeads, headDim, vocab } = config;
  const { prompts, maxNew, temperature, endTokens, signal, onSampled } = request;
  const lookEvery = (onSampled ? LISTEN_EVERY : LOOK_EVERY)[device.kind];
  const kvDim = kvHeads * headDim;
  const count = sequences.length;

  // Cache rows: all prompts end to end, then maxNew rows for each sequence.
  const used = [...new Set(sequences.map((s) => s.prompt))];
  const promptFrom = new Map<number, number>();
  let promptRows = 0;
  for (const p of used) {
    promptFrom.set(p, promptRows);
    promptRows += prompts[p].length;
  }
  const cacheRows = promptRows + count * maxNew;
  const cache = Array.from({ length: config.layers }, (_, layer) => ({
    k: arena.take(`cache${layer}.k`, cacheRows * kvDim),
    v: arena.take(`cache${layer}.v`, cacheRows * kvDim),
  }));

  const keys = new Uint32Array(count * 2);
  sequences.forEach(({ key }, slot) => {
    keys.set(key, slot * 2);
  });
  const keyBuffer = arena.put('roll.keys', keys);
  const done = arena.put('roll.done', new Uint32Array(count));
  const tokens = arena.take('roll.tokens', count * maxNew, 'u32');
  const logps = arena.take('roll.logps', count * maxNew);
  const next = arena.take('roll.next', count, 'u32');
  const [endA = NONE, endB = NONE] = endTokens;
  const padToken = endTokens[0] ?? 0;

  /** What every sequence has said in its first `upTo` tokens. */
  const collect = async (upTo: number): Promise<Generated[]> => {
    const allTokens = await readUints(device, tokens, 0, count * maxNew);
    const allLogps = await readFloats(device, logps, 0, count * maxNew);
    return sequences.map((_, slot) => {
      const row = allTokens.subarray(slot * maxNew, slot * maxNew + upTo);
      const end = row.findIndex((id) => id === endA || id === endB);
      const length = end < 0 ? upTo : end + 1;
      return {
        tokens: Array.from(row.subarray(0, length)),
        logprobs: Float32Array.from(allLogps.subarray(slot * maxNew, slot * maxNew + length)),
        ended: end >= 0,
      };
    });
  };
  /** hidden [rows, d] → one new token per row. */
  const head = (hidden: DeviceBuffer, rows: number, slots: DeviceBuffer, t: number) => {
    const normed = arena.take('roll.normed', rows * d);
    const rstd = arena.take('roll.rstd', rows);
    rmsnorm(device, {
      x: hidden,
      w: weights.get('model.norm.weight'),
      y: normed,
      rstd,
      rows,
      dim: d,
      eps: config.rmsEps,
    });
    const logits = arena.take('roll.logits', rows * vocab);
    weights.head.logits(arena, normed, rows, logits);
    const settings = { rows, vocab, t, maxNew, temperature, endA, endB, padToken };
    sample(device, { logits, slots, keys: keyBuffer, done, tokens, logps, next, ...settings });
  };
  const layers = (scope: string, meta: RowMeta, ids: DeviceBuffer, keyValues: KeyValues) => {
    const x = arena.take(`${scope}.x`, meta.rows * d);
    weights.embedding.gather(ids, x, meta.rows);
    for (let layer = 0; layer < config.layers; layer++) {
      const acts = takeActivations(ctx, scope, meta.rows, x);
      layerForward(ctx, layer, acts, meta, keyValues, x);
    }
    return x;
  };

  // Prefill.
  const ids = new Uint32Array(promptRows);
  const pos = new Uint32Array(promptRows);
  const ranges = new Uint32Array(promptRows * 4);
  for (const p of used) {
    const from = promptFrom.get(p)!;
    prompts[p].forEach((id, i) => {
      ids[from + i] = id;
      pos[from + i] = i;
      ranges.set([0, 0, from, from + i + 1], (from + i) * 4);
    });
  }
  const prefillMeta = { rows: promptRows, pos: arena.put('roll.pos', pos), ranges: arena.put('roll.ranges', ranges) };
  const last = layers('roll', { ...prefillMeta, shift: 0, grow: 0 }, arena.put('roll.ids', ids), (layer, k, v) => {
    copy(device, { src: k, dst: cache[layer].k, n: promptRows * kvDim });
    copy(device, { src: v, dst: cache[layer].v, n: promptRows * kvDim });
    return { k, v };
  });
  const lastRow = sequences.map(({ prompt }) => promptFrom.get(prompt)! + prompts[prompt].length - 1);
  const first = arena.take('roll.first', count * d);
  gatherRows(device, {
    src: last,
    index: arena.put('roll.last', Uint32Array.from(lastRow)),
    dst: first,
    rows: count,
    dim: d,
  });
  head(
    first,
    count,
    arena.put(
      'roll.slots',
      Uint32Array.from(sequences, (_, slot) => slot),
    ),
    0,
  );

  // Decode. `live` are the slots still running; their metadata is laid out anew whenever some have ended.
  let live = sequences.map((_, slot) => slot);
  let looked = 0;
  let sampledTokens = count; // the pads of what has ended since the last look among them
  let meta: RowMeta | undefined;
  let slotBuffer = arena.take('roll.slots', count, 'u32');
  let cacheIndex = arena.take('roll.cacheRow', count, 'u32');
  for (let t = 1; t < maxNew; t++) {
    if (t === 1 || t - looked >= lookEvery) {
      looked = t;
      if (onSampled) onSampled(await collect(t));
      await breathe(sampledTokens);
      if (signal?.aborted) throw new StoppedError();
      const ended = await readUints(device, done, 0, count);
      const running = live.filter((slot) => ended[slot] === 0);
      if (running.length === 0) break;
      if (running.length < live.length) {
        // The tokens just sampled move with their rows.
        const sampled = await readUints(device, tokens, 0, count * maxNew);
        device.upload(
          next,
          Uint32Array.from(running, (slot) => sampled[slot * maxNew + t - 1]),
        );
        onTokens(sampledTokens, running.length);
      }
      if (running.length < live.length || !meta) {
        live = running;
        slotBuffer = arena.put('roll.slots', Uint32Array.from(live));
        cacheIndex = arena.put(
          'roll.cacheRow',
          Uint32Array.from(live, (slot) => promptRows + slot * maxNew),
        );
        const at = new Uint32Array(live.length * 4);
        live.forEach((slot, row) => {
          const from = promptFrom.get(sequences[slot].prompt)!;
          const own = promptRows + slot * maxNew;
          at.set([from, from + prompts[sequences[slot].prompt].length, own, own], row * 4);
        });
        meta = {
          rows: live.length,
          pos: arena.put(
            'roll.pos',
            Uint32Array.from(live, (slot) => prompts[sequences[slot].prompt].length),
          ),
          ranges: arena.put('roll.ranges', at),
          shift: 0,
          grow: 0,
        };
      }
    }
    const rows = live.length;
    const step = { ...meta!, shift: t - 1, grow: t };
    const x = layers('roll', step, next, (layer, k, v) => {
      scatterRows(device, { src: k, index: cacheIndex, dst: cache[layer].k, rows, dim: kvDim, shift: t - 1 });
      scatterRows(device, { src: v, index: cacheIndex, dst: cache[layer].v, rows, dim: kvDim, shift: t - 1 });
      return cache[layer];
    });
    head(x, rows, slotBuffer, t);
    sampledTokens += rows;
  }

  return collect(maxNew);
}
