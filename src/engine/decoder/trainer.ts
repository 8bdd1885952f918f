// Full-weight training (pretraining of the embedded model): the forward and backward passes of adapter training, with a sink that
// collects ∂L/∂W of every weight (weight-gradients.ts), then a global norm clip and AdamW on all weights.

import { type Device, type DeviceBuffer, put, readFloats } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { Arena } from '../arena.ts';
import { PackedForward } from '../passes/batch.ts';
import { completeFor, deltaPasses } from '../passes/delta-passes.ts';
import type { LayerContext } from '../passes/layer.ts';
import { pack } from '../passes/packing.ts';
import { WeightGradients } from '../passes/weight-gradients.ts';
import type { ModelConfig, Sequence, Tensor, Weights } from '../types.ts';
import { isZeroCentred, weightShapes } from '../weight-names.ts';
import { DeviceWeights } from '../weights/weights.ts';

export interface AdamWSettings {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  /** Decoupled weight decay; it acts on matrices only, as is usual. */
  weightDecay: number;
  /** Global gradient norm above which the gradient is scaled down. */
  normClip: number;
}

interface Slot {
  name: string;
  shape: readonly number[];
  length: number;
  gradient: DeviceBuffer;
  m: DeviceBuffer;
  v: DeviceBuffer;
}

/** Host copy of everything that training needs to resume with identical bytes. */
export interface TrainerState {
  step: number;
  weights: Map<string, Tensor>;
  m: Map<string, Float32Array>;
  v: Map<string, Float32Array>;
}

/** Linears and convolutions N(0, 1/fan-in), residual outputs scaled down by sqrt(2·layers) as in GPT-2; embeddings N(0, 0.02²); norms scale
 *  by 1, biases 0; a linear layer's gates as in Mamba-2 (arXiv:2405.21060), from heads that keep their state to heads that forget fast.
 *  (GPT-2's flat 0.02 is far too small at a width of 128: it needed 500 steps of pretraining for what this reaches in 150.) */
export function initialWeights(config: ModelConfig, seed: number): Weights {
  const weights = new Map<string, Tensor>();
  let index = 0;
  for (const [name, shape] of weightShapes(config)) {
    const rng = new CounterRng(keyFor(seed, STREAMS.init, index++));
    const length = shape.reduce((a, b) => a * b, 1);
    const residual = /(o_proj|out_proj|down_proj)\.weight$/.test(name) ? 1 / Math.sqrt(2 * config.layers) : 1;
    const data = new Float32Array(length);
    if (name.endsWith('norm.weight')) data.fill(isZeroCentred(config, name) ? 0 : 1);
    else if (name.endsWith('.A_log')) for (let i = 0; i < length; i++) data[i] = Math.log(1 + 15 * rng.uniform());
    else if (name.endsWith('.dt_bias')) for (let i = 0; i < length; i++) data[i] = stepBias(rng.uniform());
    else if (shape.length > 1) {
      const sd = /embed_tokens|lm_head/.test(name) ? 0.02 : residual / Math.sqrt(shape[shape.length - 1]);
      for (let i = 0; i < length; i++) data[i] = sd * rng.normal();
    }
    weights.set(name, { shape, data });
  }
  return weights;
}

/** b with softplus(b) = 0.001 · 100^u, so that at e^A_log = 1 a head forgets between 0.1 and 10% of its state per token. */
const stepBias = (u: number): number => Math.log(Math.expm1(0.001 * 100 ** u));

export class Trainer {
  private readonly ctx: LayerContext;
  private readonly slots = new Map<string, Slot>();
  private readonly gradients: WeightGradients;
  private readonly norms: DeviceBuffer;
  private step = 0;

  constructor(
    private readonly device: Device,
    readonly config: ModelConfig,
    start: Weights | TrainerState,
  ) {
    const state = start instanceof Map ? null : (start as TrainerState);
    const weights = DeviceWeights.of(device, config, state ? state.weights : (start as Weights));
    this.ctx = { device, config, weights, arena: new Arena(device) };
    this.step = state?.step ?? 0;
    this.gradients = new WeightGradients(device, config);
    for (const [name, shape] of weightShapes(config)) {
      const length = shape.reduce((a, b) => a * b, 1);
      const moment = (kept: Float32Array | undefined, label: string) =>
        kept ? put(device, kept, label) : device.alloc(length, 'f32', label);
      this.slots.set(name, {
        name,
        shape,
        length,
        gradient: this.gradients.of(name),
        m: moment(state?.m.get(name), `${name} m`),
        v: moment(state?.v.get(name), `${name} v`),
      });
    }
    this.norms = device.alloc(this.slots.size, 'f32', 'gradient norms');
  }

  get stepsDone(): number {
    return this.step;
  }

  /** One optimizer step on the mean NLL of all trained tokens; resolves to that mean (nats) and the gradient norm. */
  async train(sequences: readonly Sequence[], settings: AdamWSettings): Promise<{ loss: number; gradNorm: number }> {
    const { device } = this;
    const { loss } = await this.accumulate(sequences);
    let index = 0;
    for (const { gradient, length } of this.slots.values()) {
      ops.sumsq(device, { x: gradient, out: this.norms, n: length, outOff: index++ });
    }
    let square = 0;
    for (const part of await readFloats(device, this.norms)) square += part;
    const gradNorm = Math.sqrt(square);
    this.step++;
    const { lr, beta1, beta2, eps, weightDecay, normClip } = settings;
    const bias = { bc1: 1 / (1 - beta1 ** this.step), bc2: 1 / (1 - beta2 ** this.step) };
    const gScale = gradNorm > normClip ? normClip / gradNorm : 1;
    this.ctx.weights.centre(-1);
    for (const { name, shape, length: n, gradient: g, m, v } of this.slots.values()) {
      const wd = shape.length === 2 ? weightDecay : 0;
      ops.adamw(device, { p: this.ctx.weights.get(name), g, m, v, n, lr, beta1, beta2, eps, wd, gScale, ...bias });
    }
    this.ctx.weights.centre(1);
    return { loss, gradNorm };
  }

  /** Computes the mean NLL and every weight's gradient, without a step. */
  async accumulate(
    sequences: readonly Sequence[],
  ): Promise<{ loss: number; gradients: () => Promise<Map<string, Float32Array>> }> {
    const { device, config, slots } = this;
    const packed = pack(
      sequences.map((sequence) => ({ ...sequence, segment: 0 })),
      1,
      config.maxPositions,
    );
    await completeFor(this.ctx.device, config);
    this.ctx.delta ??= await deltaPasses(config);
    const pass = new PackedForward(this.ctx, packed);
    const stats = await pass.forward();
    const targets = packed.targetRows.length;
    let loss = 0;
    for (let i = 0; i < targets; i++) loss -= stats[i * 3] / targets;

    this.gradients.collect(this.ctx.arena, packed, (sink, head) =>
      pass.backward(new Float32Array(targets).fill(-1 / targets), sink, head),
    );
    const gradients = async () => {
      const all = new Map<string, Float32Array>();
      for (const slot of slots.values()) all.set(slot.name, (await readFloats(device, slot.gradient)) as Float32Array);
      return all;
    };
    return { loss, gradients };
  }

  /** Current weights, on the host. */
  async weights(): Promise<Map<string, Tensor>> {
    const all = new Map<string, Tensor>();
    this.ctx.weights.centre(-1);
    for (const { name, shape } of this.slots.values()) {
      all.set(name, { shape, data: Float32Array.from(await readFloats(this.device, this.ctx.weights.get(name))) });
    }
    this.ctx.weights.centre(1);
    return all;
  }

  async state(): Promise<TrainerState> {
    const m = new Map<string, Float32Array>();
    const v = new Map<string, Float32Array>();
    for (const slot of this.slots.values()) {
      m.set(slot.name, Float32Array.from(await readFloats(this.device, slot.m)));
      v.set(slot.name, Float32Array.from(await readFloats(this.device, slot.v)));
    }
    return { step: this.step, weights: await this.weights(), m, v };
  }

  free(): void {
    this.gradients.free();
    for (const { m, v } of this.slots.values()) {
      m.free();
      v.free();
    }
    this.norms.free();
    this.ctx.arena.free();
    this.ctx.weights.free();
  }
}
