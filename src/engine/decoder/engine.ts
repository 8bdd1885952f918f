// The policy that algorithms and experiments use: a frozen base on a device, its adapter parameters, rollouts and per-segment gradients.

import { DeviceError, ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, readFloats } from '../../kernels/device.ts';
import { adapterLayout } from '../adapter-layout.ts';
import type { LinearAdapter, WholeAdapter } from '../adapters/adapter.ts';
import { type Factors, SvdAdapter } from '../adapters/svd.ts';
import type { EngineOptions } from '../adapters/wrapped.ts';
import { wrapped } from '../adapters/wrapped.ts';
import { Arena } from '../arena.ts';
import { ActivationCache } from '../passes/activation-cache.ts';
import { type BackwardTo, PackedForward } from '../passes/batch.ts';
import { completeFor, deltaPasses } from '../passes/delta-passes.ts';
import type { LayerContext } from '../passes/layer.ts';
import { type Packed, pack } from '../passes/packing.ts';
import { generate, generateEpisodes } from '../rollout/rollout.ts';
import { linearLayout, tableLayout } from '../storage-layouts.ts';
import type {
  AdapterForm,
  AdapterLayout,
  BlockFold,
  DistillAdapterParams,
  DistilledBatch,
  DistillPair,
  EpisodeRequest,
  Generated,
  GenerateRequest,
  ModelConfig,
  Policy,
  RankedToken,
  SampledEpisode,
  ScoredBatch,
  Sequence,
  WeightStorage,
} from '../types.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { adapterGradients, bySequence, flatCoefficients, meanRow } from './scored.ts';

export type { EngineOptions } from '../adapters/wrapped.ts';

/** Sequences per pass of `activations`; this bounds memory and does not change results. */
const ACTIVATION_CHUNK = 64;

export class Engine implements Policy {
  readonly config: ModelConfig;
  readonly adapterLayout: AdapterLayout;
  readonly initialAdapterParams: Float32Array;
  private batchOpen = false;
  private isSampling = false;
  /** The kind of work that last used the scratch buffers. */
  private scratchOf: 'rollouts' | 'scores' | null = null;
  /** The adapter parameters that are folded in; null for the initial ones. */
  private folded: { params: Float32Array; blocks?: BlockFold } | null = null;
  /** Activations of the last rollout, until the weights change. */
  private cached: ActivationCache | null = null;

  private constructor(
    private readonly ctx: LayerContext,
    private readonly adapter: LinearAdapter | WholeAdapter | null,
    readonly form: AdapterForm = 'folded',
  ) {
    this.config = ctx.config;
    this.adapterLayout = adapter?.layout ?? adapterLayout(ctx.config);
    this.initialAdapterParams = adapter?.initialAdapterParams ?? new Float32Array(this.adapterLayout.total);
  }

  /** Throws FormatError if weights and config disagree, DeviceError if they do not fit. */
  static async create(options: EngineOptions): Promise<Engine> {
    const { device, config, storage = 'f32', form = 'folded', signal } = options;
    await completeFor(device, config);
    const ctx: LayerContext = {
      device,
      config,
      weights: await DeviceWeights.load(device, config, options.weights, { storage, signal }),
      arena: new Arena(device, fillsDevice(storage, form)),
      delta: await deltaPasses(config),
    };
    try {
      return new Engine(ctx, await wrapped(options, ctx.weights), form);
    } catch (error) {
      ctx.weights.free();
      throw error;
    }
  }

  /** Returns an engine with an adapter on the same weights, which stay on the device. This engine must not be used meanwhile. */
  async adapted(options: Pick<EngineOptions, 'weights' | 'adapter' | 'signal' | 'onProgress'>): Promise<Engine> {
    const { device, config, weights } = this.ctx;
    return new Engine(this.ctx, await wrapped({ ...options, device, config }, weights));
  }

  get device(): Device {
    return this.ctx.device;
  }

  get storage(): WeightStorage {
    return this.ctx.weights.storage;
  }

  get roundsSteps(): boolean {
    // A folded Linear is in f32, and only the tables are as they were stored.
    const read = this.form === 'folded' ? tableLayout(this.storage) : linearLayout(this.storage);
    return this.device.multipliesIntegers === true && read === 'q8g32';
  }

  /** If true, rollouts and scores release each other's scratch (see `enter`). */
  private get fillsDevice(): boolean {
    return fillsDevice(this.storage, this.form);
  }

  /** Singular vectors by module name; throws ShapeError if the adapter has none on the host. */
  get factors(): ReadonlyMap<string, Factors> {
    const factors = this.adapter instanceof SvdAdapter ? this.adapter.factors : null;
    if (factors) return factors;
    throw new ShapeError(
      'this model was loaded without singular vectors on the host',
      'Create the engine with adapter "svd" and the storage f32, or with a map of factors.',
    );
  }

  setAdapterParams(deltaSTotal: Float32Array, blocks?: BlockFold): void {
    this.checkNotSampling();
    this.cached = null;
    this.wrapped().fold(deltaSTotal, blocks);
    this.folded = { params: deltaSTotal, blocks };
  }

  /** Runs `work`, which may fold in other adapter parameters, and then restores the previous ones. */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    const before = this.folded;
    try {
      return await work();
    } finally {
      if (this.folded !== before) this.setAdapterParams(before?.params ?? this.initialAdapterParams, before?.blocks);
    }
  }

  generate(request: GenerateRequest): Promise<Generated[]> {
    return this.sampling(request, async () => {
      this.cached = null;
      const isKept =
        request.willScore &&
        request.kvCache !== 'f16' &&
        this.device.kind === 'cpu' &&
        this.adapter &&
        !this.fillsDevice;
      const activations = isKept && this.config.layers > 1 ? new ActivationCache(this.ctx) : null;
      const generated = await generate(this.ctx, request, activations);
      this.cached = activations;
      return generated;
    });
  }

  generateEpisodes(request: EpisodeRequest): Promise<SampledEpisode[]> {
    return this.sampling(request, () => generateEpisodes(this.ctx, request));
  }

  /**
   * Runs one rollout at a time: its key/value cache is in scratch that other work could overwrite while a slow environment computes.
   */
  private async sampling<T>({ kvCache }: Pick<GenerateRequest, 'kvCache'>, work: () => Promise<T>): Promise<T> {
    this.checkNotSampling();
    this.enter('rollouts');
    this.isSampling = true;
    try {
      // The kernels of an f16 cache are loaded on first use, since few rollouts need them.
      if (kvCache === 'f16') await this.device.complete?.();
      return await work();
    } finally {
      this.isSampling = false;
    }
  }

  async score(sequences: readonly Sequence[], segments: number, signal?: AbortSignal): Promise<ScoredBatch> {
    this.checkNoBatch();
    const packed = pack(sequences, segments, this.config.maxPositions);
    this.enter('scores');
    const pass = new PackedForward(this.ctx, packed, { activations: this.cached });
    return this.opened(async (free) => {
      const stats = await pass.forward(signal);
      const backward: ScoredBatch['backward'] = async (coef, entropyCoef) => {
        const flat = flatCoefficients(packed, coef);
        const slope = entropyCoef && flatCoefficients(packed, entropyCoef);
        return this.gradients(packed, (sink, head) => pass.backward(flat, sink, head, slope));
      };
      return { ...scoredTokens(packed, stats), backward, free };
    });
  }

  async distill(
    pairs: readonly DistillPair[],
    segments: number,
    { adapterParams, signal }: { adapterParams?: DistillAdapterParams; signal?: AbortSignal } = {},
  ): Promise<DistilledBatch> {
    this.checkNoBatch();
    const { maxPositions } = this.config;
    const student = pairs.map((pair) => pair.student);
    const packed = pack(student, segments, maxPositions);
    // The teacher has no gradients, so all its sequences share one segment and equal prompts are computed once.
    const taught = pairs.map(({ teacher }) => ({ ...teacher, segment: 0 }));
    // The code is loaded on demand, since few objectives have a teacher.
    const { Distillation } = await import('../objectives/distill.ts');
    this.enter('scores');
    const pass = new Distillation(this.ctx, packed, pack(taught, 1, maxPositions));
    return this.opened(async (free) => {
      if (adapterParams) this.setAdapterParams(adapterParams.teacher);
      try {
        pass.teach(signal);
      } finally {
        if (adapterParams) this.setAdapterParams(adapterParams.student);
      }
      const { stats, teacherStats, kl } = await pass.forward(signal);
      return {
        ...scoredTokens(packed, stats),
        teacherLogprobs: bySequence(packed, teacherStats, 3, 0),
        kl: bySequence(packed, kl),
        backward: async (coef) => {
          const flat = flatCoefficients(packed, coef);
          return this.gradients(packed, (sink, head) => pass.backward(flat, sink, head));
        },
        free,
      };
    });
  }

  async activations(
    sequences: readonly Pick<Sequence, 'prompt' | 'completion' | 'mask'>[],
    layer: number,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const { layers, hiddenSize: d, maxPositions } = this.config;
    if (!Number.isInteger(layer) || layer < 0 || layer >= layers) {
      throw new ShapeError(`there is no layer ${layer}: this model has ${layers}`, 'Layers count from 0.');
    }
    this.checkNoBatch();
    this.enter('scores');
    const means: Float32Array[] = [];
    for (let from = 0; from < sequences.length; from += ACTIVATION_CHUNK) {
      const part = sequences.slice(from, from + ACTIVATION_CHUNK).map((sequence) => ({ ...sequence, segment: 0 }));
      const packed = pack(part, 1, maxPositions);
      const rows = await new PackedForward(this.ctx, packed).residual(layer, signal);
      for (const i of part.keys()) means.push(meanRow(rows, packed.targetStart[i], packed.targetCount[i], d));
    }
    return means;
  }

  /** The model's predictions at each token of `texts` (see rankedTokens), with the current adapter parameters. */
  async ranked(texts: readonly (readonly number[])[], count: number, signal?: AbortSignal): Promise<RankedToken[][]> {
    // The code is loaded on demand, since the page does not need it.
    const { rankedTokens } = await import('./ranked.ts');
    this.checkNoBatch();
    this.enter('scores');
    return rankedTokens(this.ctx, texts, count, signal);
  }

  /** Logits of every position of one sequence, [tokens, vocab]; for parity checks and small models. */
  async logits(ids: readonly number[]): Promise<Float32Array> {
    this.checkNotSampling();
    // The last completion token has no row, so a dummy is appended to give the real last token one.
    const packed = pack(
      [{ prompt: [ids[0]], completion: [...ids.slice(1), 0], segment: 0 }],
      1,
      this.config.maxPositions + 1,
    );
    this.enter('scores');
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

  /** Releases the scratch of the other kind of work if the model fills its device, unless a batch is open. Small models keep both, since
   *  reallocation would cost more than their arithmetic. */
  private enter(use: 'rollouts' | 'scores'): void {
    if (!this.fillsDevice || this.batchOpen || this.scratchOf === use) return;
    this.scratchOf = use;
    const ofRollouts = (label: string) => label.startsWith('roll.') || label.startsWith('cache');
    // An unfolded adapter uses this scratch in both.
    const ofBoth = (label: string) => label.startsWith('sink.');
    this.ctx.arena.release((label) => ofBoth(label) || ofRollouts(label) === (use === 'scores'));
  }

  private checkNotSampling(): void {
    if (!this.isSampling) return;
    throw new DeviceError(
      'this engine is still sampling rollouts',
      'Wait for them first; an environment that asks a model needs another engine.',
    );
  }

  /** Opens a batch, which owns the engine's scratch until it is freed. */
  private async opened<T>(open: (free: () => void) => Promise<T>): Promise<T> {
    this.batchOpen = true;
    const free = () => {
      this.batchOpen = false;
    };
    try {
      return await open(free);
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Runs a backward pass into the adapter; returns one gradient vector per segment. */
  private gradients(packed: Packed, backward: BackwardTo): Promise<Float32Array[]> {
    return adapterGradients(this.device, this.ctx.arena, this.wrapped(), packed, backward);
  }

  /** Throws if a batch is open, since another pass would overwrite its activations. */
  private checkNoBatch(): void {
    this.checkNotSampling();
    if (!this.batchOpen) return;
    throw new DeviceError('a scored batch is still open on this engine', 'Call free() on it before scoring another.');
  }

  private wrapped(): LinearAdapter | WholeAdapter {
    if (!this.adapter)
      throw new ShapeError('this model was loaded without an adapter', 'Create the engine with adapter "svd".');
    return this.adapter;
  }
}

/** Whether the model's form was chosen to save device memory. */
const fillsDevice = (storage: WeightStorage, form: AdapterForm) => storage !== 'f32' || form === 'unfolded';

/** Log-probabilities and entropies of a batch's trained tokens. `stats`: [targets, 3]. */
function scoredTokens(packed: Packed, stats: ArrayLike<number>): Pick<ScoredBatch, 'logprobs' | 'entropy'> {
  return { logprobs: bySequence(packed, stats, 3, 0), entropy: bySequence(packed, stats, 3, 2) };
}
