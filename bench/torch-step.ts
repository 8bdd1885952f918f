// The lab's side of torch.bench.ts: the measured step, the data that are sent to PyTorch, and the shapes.
//
// A step: fold the adapter parameters; sample `group` completions of every prompt; reward them by the share of even token ids, which any vocabulary
// has; score; compute GRPO's clipped loss and its gradient on the adapter parameters; Adam. Adapter parameters are set anew every round, so that
// rounds do not drift.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { adamStep, zeroMoments } from '../src/algorithms/adamw.ts';
import { groupAdvantages } from '../src/algorithms/advantages.ts';
import { sequenceLoss } from '../src/algorithms/grpo-loss.ts';
import { chooseNodeDevice, loadEmbeddedModel } from '../src/cli/ports.node.ts';
import type { FactorReader, Factors } from '../src/engine/adapters/svd.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import { QWEN3_06B, QWEN3_26M } from '../src/engine/testing/qwen3.ts';
import { standIns } from '../src/engine/testing/stand-ins.ts';
import type { ModelConfig, Weights } from '../src/engine/types.ts';
import { linearShape, linearsOf } from '../src/engine/weight-names.ts';
import { readAll } from '../src/engine/weights/reader.ts';
import { makeProblemSet } from '../src/environments/code/data.ts';
import { CounterRng, keyFor, STREAMS } from '../src/rng/index.ts';
import { loadCodec } from '../src/text/codec.ts';

const CLIP = 0.2;
const LR = 1e-3;
/** Magnitude of each adapter parameter, so that W' differs from W. */
const ADAPTER = 0.01;

export interface Shape {
  name: string;
  config: ModelConfig;
  weights: Weights;
  adapter: 'svd' | FactorReader;
  prompts: number[][];
  group: number;
  maxNew: number;
  endTokens: readonly number[];
  rounds: number;
}

export interface StepAnswer {
  /** Milliseconds of wall-clock and of processor time. */
  laps: Record<'rollout' | 'score' | 'backward' | 'update', [number, number]>;
  loss: number;
  gradient: readonly number[];
  /** Σ |advantage| over tokens / denominator: the scale to which differences of the loss are relative. */
  lossScale?: number;
}

/** Tokens of a step; each prompt counts once. */
export interface StepSize {
  prompts: number;
  completions: number;
}

/** The demo's step of an embedded model of one-line Python. */
export async function demoShape(model: 'tiny-coder' | 'tiny-hybrid'): Promise<Shape> {
  const { config, weights, tokenizerJson, tokenizerConfig } = await loadEmbeddedModel(
    process.env.LAB_ROOT ?? '.',
    model,
  );
  const codec = await loadCodec(tokenizerJson as object, tokenizerConfig as object);
  const problems = makeProblemSet({ modes: ['run_tests', 'eq_override'], honestShare: 0.5, count: 8 });
  return {
    name: `${model === 'tiny-coder' ? '0.85 M' : '0.53 M hybrid'}, 8 prompts × 8 (demo)`,
    config,
    weights: await readAll(weights),
    adapter: 'svd',
    group: 8,
    prompts: problems.map(({ prompt }) => codec.encode(prompt)),
    maxNew: 80,
    endTokens: codec.endTokens,
    rounds: model === 'tiny-coder' ? 7 : 3,
  };
}

/** Yielded on demand: the last one takes 700 MB. */
export function* largeShapes(): Generator<Shape> {
  const larger = (name: string, shape: ModelConfig, prompt: number, maxNew: number, rounds: number): Shape => ({
    name,
    config: shape,
    weights: initialWeights(shape, 1),
    adapter: standIns,
    group: 8,
    maxNew,
    prompts: [Array.from({ length: prompt }, (_, i) => (i * 12_347) % shape.vocab)],
    endTokens: [],
    rounds,
  });
  yield larger('26 M, 1 prompt × 8', QWEN3_26M, 64, 40, 3);
  yield larger('0.6 B cut to 2 layers, 1 prompt × 8', { ...QWEN3_06B, layers: 2, maxPositions: 512 }, 16, 12, 2);
}

/** Floating-point operations of a step's products: two forward passes, and a backward pass for both factors; the head's weights have no gradient. */
export function flopsOf(config: ModelConfig, { prompts, completions }: StepSize): number {
  const linears = Array.from({ length: config.layers }, (_, layer) => linearsOf(config, layer))
    .flat()
    .reduce((sum, role) => {
      const [dOut, dIn] = linearShape(config, role);
      return sum + dOut * dIn;
    }, 0);
  const head = config.vocab * config.hiddenSize;
  return (2 + 2 + 4) * linears * (prompts + completions) + (2 + 2 + 2) * head * completions;
}

export class LabStep {
  /** Sizes of the steps so far. */
  readonly sizes: StepSize[] = [];
  private sent: object | null = null;
  private written: Awaited<ReturnType<Engine['generate']>> = [];
  private readonly adapterParams: Float32Array;

  private constructor(
    readonly shape: Shape,
    readonly engine: Engine,
  ) {
    const rng = CounterRng.of(1, STREAMS.data, 1);
    this.adapterParams = engine.initialAdapterParams.map(() => ADAPTER * rng.normal());
  }

  static async open(shape: Shape, threads: number, choice: 'cpu' | 'cpu-fused' = 'cpu'): Promise<LabStep> {
    const { config, weights, adapter } = shape;
    const { device } = await chooseNodeDevice({ device: choice, threads });
    return new LabStep(shape, await Engine.create({ device, config, weights, adapter }));
  }

  factorsOf(name: string): Promise<Factors> | Factors {
    const module = this.engine.adapterLayout.modules.find((candidate) => candidate.name === name)!;
    return this.shape.adapter === 'svd' ? this.engine.factors.get(name)! : this.shape.adapter.read(module);
  }

  /** `like`: the step whose completions are scored instead of its own, since other rounding may choose another token
   *  at a tie. */
  async step(round: number, like: LabStep = this): Promise<StepAnswer> {
    const { engine, adapterParams } = this;
    const { prompts, group, maxNew, endTokens } = this.shape;
    const laps = { rollout: [0, 0], score: [0, 0], backward: [0, 0], update: [0, 0] } as StepAnswer['laps'];
    let [at, used] = [performance.now(), process.cpuUsage()];
    const lap = (name: keyof typeof laps) => {
      const { user, system } = process.cpuUsage(used);
      laps[name][0] += performance.now() - at;
      laps[name][1] += (user + system) / 1000;
      [at, used] = [performance.now(), process.cpuUsage()];
    };
    engine.setAdapterParams(adapterParams);
    await engine.device.sync();
    lap('update');
    const of = prompts.flatMap((_, prompt) => Array.from({ length: group }, () => prompt));
    this.written = await engine.generate({
      prompts,
      sequences: of.map((prompt, i) => ({ prompt, key: keyFor(3, STREAMS.rollout, round, i) })),
      maxNew,
      temperature: 1,
      endTokens,
    });
    lap('rollout');
    const generated = like.written;
    const rewards = generated.map(({ tokens }) => tokens.filter((id) => id % 2 === 0).length / tokens.length);
    const advantages = prompts.flatMap(
      (_, p) => groupAdvantages(rewards.slice(p * group, (p + 1) * group), 'group').advantages,
    );
    const denominator = of.length * maxNew;
    const scored = await engine.score(
      generated.map(({ tokens }, i) => ({ prompt: prompts[of[i]], completion: tokens, segment: 0 })),
      1,
    );
    lap('score');
    const losses = scored.logprobs.map((logprobs, i) =>
      sequenceLoss(
        { logprobs, old: generated[i].logprobs, advantage: advantages[i] },
        { clipEps: CLIP, klBeta: 0, denominator },
      ),
    );
    const [gradient] = await scored.backward(losses.map(({ coef }) => coef));
    scored.free();
    lap('backward');
    adamStep(zeroMoments(gradient.length), gradient, 1, LR, { beta1: 0.9, beta2: 0.95, adamEps: 1e-8 });
    lap('update');
    const lengths = generated.map(({ tokens }) => tokens.length);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    this.sizes.push({ prompts: sum(prompts.map((prompt) => prompt.length)), completions: sum(lengths) });
    this.sent = {
      prompts,
      of,
      completions: generated.map(({ tokens }) => [...tokens]),
      advantages,
      denominator,
      old: generated.flatMap(({ logprobs }) => [...logprobs]),
      adapterParams: [...adapterParams],
      clipEps: CLIP,
      lr: LR,
    };
    return {
      laps,
      loss: sum(losses.map(({ loss }) => loss)),
      gradient: [...gradient],
      lossScale: sum(lengths.map((length, i) => length * Math.abs(advantages[i]))) / denominator,
    };
  }

  /** Returns the last step for PyTorch to repeat. */
  request(): object {
    if (!this.sent) throw new Error('no step was made yet');
    return this.sent;
  }

  free(): void {
    this.engine.free();
    this.engine.device.destroy();
  }
}

/** Writes weights and singular vectors in f32, one after another, and the position of each. */
export async function dumpModel(folder: string, lab: LabStep): Promise<void> {
  const tensors: Record<string, [at: number, shape: readonly number[]]> = {};
  const file = openSync(join(folder, 'weights.bin'), 'w');
  let end = 0;
  const put = (name: string, data: Float32Array, shape: readonly number[]) => {
    tensors[name] = [end, shape];
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    // One write call takes less than 2 GiB.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(bytes.length - at, 2 ** 30));
    end += data.length;
  };
  for (const [name, { data, shape }] of lab.shape.weights) put(name, data, shape);
  const { modules } = lab.engine.adapterLayout;
  for (const { name, r, dOut, dIn } of modules) {
    const { U, Vh } = await lab.factorsOf(name);
    put(`${name}.U`, Float32Array.from(U), [dOut, r]);
    put(`${name}.Vh`, Float32Array.from(Vh), [r, dIn]);
  }
  closeSync(file);
  const at = modules.map(({ name, offset, r }) => [name, offset, r]);
  writeFileSync(join(folder, 'dump.json'), JSON.stringify({ config: lab.shape.config, tensors, modules: at }));
}
