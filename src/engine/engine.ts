// The policy that everything above the engine sees: a frozen base on a device, its knobs, rollouts and per-segment gradients.

import { type Device, readFloats } from '../kernels/device.ts';
import { svd } from '../kernels/svd.ts';
import { DeviceError, ShapeError } from '../lib/errors.ts';
import { type Factors, KnobAdapter, KnobSink } from './adapter.ts';
import { Arena } from './arena.ts';
import { PackedForward } from './batch.ts';
import { knobLayout } from './config.ts';
import type { LayerContext } from './layer.ts';
import { pack } from './packing.ts';
import { generate } from './rollout.ts';
import type {
  Generated,
  GenerateRequest,
  KnobLayout,
  ModelConfig,
  Policy,
  ScoredBatch,
  Sequence,
  Weights,
} from './types.ts';
import { DeviceWeights } from './weights.ts';

export interface EngineOptions {
  device: Device;
  config: ModelConfig;
  weights: Weights;
  /** `svd` factors every Linear on the device (default); `none` leaves the model unwrapped; or factors from elsewhere. */
  adapter?: 'svd' | 'none' | ReadonlyMap<string, Factors>;
  signal?: AbortSignal;
  /** Modules factored so far. */
  onProgress?: (done: number, total: number) => void;
}

export class Engine implements Policy {
  readonly config: ModelConfig;
  readonly knobs: KnobLayout;
  private batchOpen = false;

  private constructor(
    private readonly ctx: LayerContext,
    private readonly adapter: KnobAdapter | null,
  ) {
    this.config = ctx.config;
    this.knobs = knobLayout(ctx.config);
  }

  /** Throws FormatError where weights and config disagree, DeviceError where they do not fit. */
  static async create(options: EngineOptions): Promise<Engine> {
    const { device, config, weights, adapter = 'svd' } = options;
    const layout = knobLayout(config);
    const ctx: LayerContext = {
      device,
      config,
      weights: new DeviceWeights(device, config, weights),
      arena: new Arena(device),
    };
    if (adapter === 'none') return new Engine(ctx, null);
    const factors = adapter === 'svd' ? await factorize(options, layout) : adapter;
    return new Engine(ctx, new KnobAdapter(device, ctx.weights, layout, factors));
  }

  get device(): Device {
    return this.ctx.device;
  }

  /** Singular vectors by module name; throws where the model is not wrapped. */
  get factors(): ReadonlyMap<string, Factors> {
    return this.wrapped().factors;
  }

  setKnobs(deltaSTotal: Float32Array): void {
    this.wrapped().fold(deltaSTotal);
  }

  generate(request: GenerateRequest): Promise<Generated[]> {
    return generate(this.ctx, request);
  }

  async score(sequences: readonly Sequence[], segments: number, signal?: AbortSignal): Promise<ScoredBatch> {
    if (this.batchOpen) {
      throw new DeviceError('a scored batch is still open on this engine', 'Call free() on it before scoring another.');
    }
    const packed = pack(sequences, segments, this.config.maxPositions);
    const pass = new PackedForward(this.ctx, packed);
    this.batchOpen = true;
    try {
      const stats = await pass.forward(signal);
      const column = (c: number) =>
        sequences.map(({ completion }, i) =>
          Float32Array.from(completion, (_, t) => stats[(packed.targetStart[i] + t) * 3 + c]),
        );
      return {
        logprobs: column(0),
        entropy: column(2),
        backward: async (coef) => {
          const flat = new Float32Array(packed.targetRows.length);
          coef.forEach((values, i) => {
            if (values.length !== sequences[i].completion.length) {
              throw new ShapeError(
                `sequence ${i}: ${values.length} coefficients for ${sequences[i].completion.length} tokens`,
                'Give one coefficient per completion token.',
              );
            }
            flat.set(values, packed.targetStart[i]);
          });
          const total = this.knobs.total;
          const { device, arena } = this.ctx;
          const out = arena.take('knob.gradients', segments * total);
          pass.backward(flat, new KnobSink(device, arena, this.wrapped(), packed.segments, out, packed.rows));
          const all = await readFloats(device, out, 0, segments * total);
          return Array.from({ length: segments }, (_, s) =>
            Float32Array.from(all.subarray(s * total, (s + 1) * total)),
          );
        },
        free: () => {
          this.batchOpen = false;
        },
      };
    } catch (error) {
      this.batchOpen = false;
      throw error;
    }
  }

  /** Logits of every position of one sequence, [tokens, vocab]; for parity checks and small models. */
  async logits(ids: readonly number[]): Promise<Float32Array> {
    // The last completion token has no row of its own, so a dummy stands there to give the real last token one.
    const packed = pack(
      [{ prompt: [ids[0]], completion: [...ids.slice(1), 0], segment: 0 }],
      1,
      this.config.maxPositions + 1,
    );
    const pass = new PackedForward(this.ctx, packed);
    await pass.forward();
    const { vocab } = this.config;
    const logits = new Float32Array(ids.length * vocab);
    for (let from = 0; from < ids.length; from += pass.chunkRows) {
      const count = Math.min(pass.chunkRows, ids.length - from);
      logits.set(await readFloats(this.device, pass.logits(from, count), 0, count * vocab), from * vocab);
    }
    return logits;
  }

  free(): void {
    this.adapter?.free();
    this.ctx.arena.free();
    this.ctx.weights.free();
  }

  private wrapped(): KnobAdapter {
    if (!this.adapter)
      throw new ShapeError('this model was loaded without an adapter', 'Create the engine with adapter "svd".');
    return this.adapter;
  }
}

async function factorize(options: EngineOptions, layout: KnobLayout): Promise<Map<string, Factors>> {
  const { device, weights, signal, onProgress } = options;
  const factors = new Map<string, Factors>();
  for (const { name, dOut, dIn } of layout.modules) {
    const { U, S, Vh } = await svd(device, weights.get(`${name}.weight`)!.data, dOut, dIn, { signal });
    factors.set(name, { U, S, Vh });
    onProgress?.(factors.size, layout.modules.length);
  }
  return factors;
}
