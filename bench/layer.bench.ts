// Compares one decoder layer, forward and backward with the gradients of its input and of every weight, with @jax-js/jax, which derives the same
// from the layer's formula and compiles it (jit). It has the embedded model's shape and causal sequences without padding. Rounds alternate, and
// results are compared before they count. It runs on WebAssembly with one thread, and on the same WebGPU adapter.
import { grad, init as initJax, jit, nn, numpy as np } from '@jax-js/jax';
import { globals } from 'webgpu';
import { chooseNodeDevice } from '../src/cli/ports.node.ts';
import { Arena } from '../src/engine/arena.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import { type GradientSink, layerForward, takeActivations } from '../src/engine/passes/layer.ts';
import { layerBackward } from '../src/engine/passes/layer-backward.ts';
import type { ModelConfig } from '../src/engine/types.ts';
import { linearShape, moduleName } from '../src/engine/weight-names.ts';
import { DeviceWeights } from '../src/engine/weights/weights.ts';
import { TINY_CODER } from '../src/experiments/loop/pretrain.ts';
import { type Device, type DeviceBuffer, put, readFloats } from '../src/kernels/device.ts';
import { ops } from '../src/kernels/ops.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { openCeiling } from './ceiling.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const CONFIG: ModelConfig = { ...TINY_CODER, layers: 1 };
const SEQUENCES = 16;
const TOKENS = 64;
const ROWS = SEQUENCES * TOKENS;
const ROUNDS = 9;
/** Rounds on a software adapter. */
const SOFTWARE_ROUNDS = 3;
const PREFIX = 'model.layers.0';
const LINEARS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;
const NORMS = ['input_layernorm', 'post_attention_layernorm', 'self_attn.q_norm', 'self_attn.k_norm'] as const;

/** Floating-point operations of the products: forward, and backward for both factors. */
const FLOPS = LINEARS.reduce((sum, role) => {
  const [dOut, dIn] = linearShape(CONFIG, role);
  return sum + 6 * ROWS * dOut * dIn;
}, 0);

/** The compared gradients: the input's, and that of a weight on which all earlier operations have an effect. */
interface Gradients {
  input: ArrayLike<number>;
  query: ArrayLike<number>;
}

interface Contestant {
  name: string;
  /** Resolves when the device is done. */
  run(): Promise<void>;
  gradients(): Promise<Gradients>;
}

interface Inputs {
  weights: ReturnType<typeof initialWeights>;
  /** [ROWS, hiddenSize]. */
  x: Float32Array;
  /** ∂L/∂output, [ROWS, hiddenSize]. */
  dy: Float32Array;
}

function ours(device: Device, name: string, { weights, x, dy }: Inputs): Contestant {
  const held = DeviceWeights.of(device, CONFIG, weights);
  const arena = new Arena(device);
  const ctx = { device, config: CONFIG, weights: held, arena };
  const acts = takeActivations(ctx, 'layer', ROWS, put(device, x, 'x'));
  const first = Uint32Array.from({ length: ROWS }, (_, row) => row - (row % TOKENS));
  const meta = {
    rows: ROWS,
    pos: put(
      device,
      Uint32Array.from(first, (from, row) => row - from),
      'pos',
    ),
    ranges: put(
      device,
      Uint32Array.from({ length: 4 * ROWS }, (_, i) => rangeOf(first, i >> 2)[i & 3]),
      'ranges',
    ),
    qEnd: put(
      device,
      Uint32Array.from(first, (from) => from + TOKENS),
      'qEnd',
    ),
    shift: 0,
    grow: 0,
  };
  const out = device.alloc(ROWS * CONFIG.hiddenSize, 'f32', 'out');
  const dx = device.alloc(ROWS * CONFIG.hiddenSize, 'f32', 'dx');
  const gradients = new Map<string, DeviceBuffer>();
  for (const [key, { data }] of weights) gradients.set(key, device.alloc(data.length, 'f32', `${key} gradient`));
  const sink: GradientSink = {
    stopsAtFirstLayer: false,
    small: (key) => gradients.get(key) ?? null,
    linear: (key, a, b, m, n) =>
      ops.matmul(device, { a, b, c: gradients.get(`${key}.weight`)!, m, n, k: ROWS, ta: 1, beta: 0 }),
  };
  const run = async () => {
    device.upload(dx, dy);
    layerForward(ctx, 0, acts, meta, (_, k, v) => ({ k, v }), out);
    layerBackward(ctx, 0, acts, meta, dx, sink);
    await device.sync();
  };
  return {
    name,
    run,
    gradients: async () => ({
      input: await readFloats(device, dx),
      query: await readFloats(device, gradients.get(`${moduleName(0, 'q_proj')}.weight`)!),
    }),
  };
}

/** Attention ranges of a query row: the first is empty, the second is its sequence up to itself. */
const rangeOf = (first: Uint32Array, row: number): readonly number[] => [0, 0, first[row], row + 1];

function jax(device: 'wasm' | 'webgpu', { weights, x, dy }: Inputs): Contestant {
  const { hiddenSize, heads, kvHeads, headDim, rmsEps, ropeTheta } = CONFIG;
  const array = (data: Float32Array, shape: number[]) => np.array(data.slice(), { shape, device });
  const linears = LINEARS.map((role) =>
    array(weights.get(`${moduleName(0, role)}.weight`)!.data as Float32Array, [...linearShape(CONFIG, role)]),
  );
  const norms = NORMS.map((name) => {
    const { data, shape } = weights.get(`${PREFIX}.${name}.weight`)!;
    return array(data as Float32Array, [...shape]);
  });
  const angle = (f: (x: number) => number) =>
    array(
      Float32Array.from({ length: TOKENS * headDim }, (_, i) => {
        const half = (i % headDim) % (headDim / 2);
        return f(Math.floor(i / headDim) * ropeTheta ** ((-2 * half) / headDim));
      }),
      [1, TOKENS, 1, headDim],
    );
  const [cos, sin] = [angle(Math.cos), angle(Math.sin)];
  const hidden = Float32Array.from({ length: TOKENS ** 2 }, (_, i) => (i % TOKENS > i / TOKENS ? -1e30 : 0));
  const mask = array(hidden, [1, 1, TOKENS, TOKENS]);
  const input = array(x, [SEQUENCES, TOKENS, hiddenSize]);
  const upstream = array(dy, [SEQUENCES, TOKENS, hiddenSize]);

  type A = np.Array;
  const rms = (a: A, w: A): A => {
    const mean = np.mean(np.square(a.ref), -1, { keepdims: true });
    return a.mul(np.reciprocal(np.sqrt(mean.add(rmsEps)))).mul(w);
  };
  const apply = (a: A, w: A): A => np.matmul(a, np.transpose(w));
  const rotate = (a: A, c: A, s: A): A => {
    const [low, high] = np.split(a.ref, 2, -1);
    return a.mul(c).add(np.concatenate([high.neg(), low], -1).mul(s));
  };
  const loss = (a: A, w: A[], n: A[], c: A, s: A, m: A, d: A): A => {
    const h = rms(a.ref, n[0]);
    const split = (b: A, count: number) => b.reshape([SEQUENCES, TOKENS, count, headDim]);
    const q = rotate(rms(split(apply(h.ref, w[0]), heads), n[2]), c.ref, s.ref);
    const k = rotate(rms(split(apply(h.ref, w[1]), kvHeads), n[3]), c, s);
    const v = split(apply(h, w[2]), kvHeads);
    // Written out, since its dotProductAttention needs a newer JavaScript than this project uses. Scores are [B,
    // heads, T, T].
    const byHead = (b: A) => np.transpose(b, [0, 2, 1, 3]);
    const shared = (b: A) => np.repeat(byHead(b), heads / kvHeads, 1);
    const scores = np.matmul(byHead(q), np.transpose(shared(k), [0, 1, 3, 2])).mul(1 / Math.sqrt(headDim));
    const o = np
      .transpose(np.matmul(nn.softmax(scores.add(m), -1), shared(v)), [0, 2, 1, 3])
      .reshape([SEQUENCES, TOKENS, heads * headDim]);
    const mid = a.add(apply(o, w[3]));
    const h2 = rms(mid.ref, n[1]);
    const act = nn.silu(apply(h2.ref, w[4])).mul(apply(h2, w[5]));
    return np.sum(mid.add(apply(act, w[6])).mul(d));
  };
  const derive = jit(grad(loss, { argnums: [0, 1, 2] }));
  const all = () =>
    derive(
      input.ref,
      linears.map((w) => w.ref),
      norms.map((w) => w.ref),
      cos.ref,
      sin.ref,
      mask.ref,
      upstream.ref,
    ) as [A, A[], A[]];
  return {
    name: `@jax-js/jax (${device}), jit`,
    async run() {
      const [dx, dw, dn] = all();
      const results = [dx, ...dw, ...dn];
      for (const result of results) await result.ref.blockUntilReady();
      for (const result of results) result.dispose();
    },
    async gradients() {
      const [dx, dw, dn] = all();
      for (const result of [...dw.slice(1), ...dn]) result.dispose();
      return { input: (await dx.data()) as Float32Array, query: (await dw[0].data()) as Float32Array };
    },
  };
}

function compare(a: ArrayLike<number>, b: ArrayLike<number>, what: string): void {
  let [difference, size] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    size += a[i] ** 2;
  }
  if (a.length !== b.length || !(Math.sqrt(difference / size) < 1e-4))
    throw new Error(`${what}: relative difference ${Math.sqrt(difference / size)}`);
}

async function inTurns(
  contestants: readonly Contestant[],
  rounds: number,
  log: (line: string) => void,
): Promise<number[]> {
  const seen: Gradients[] = [];
  for (const { run, gradients } of contestants) {
    await run();
    seen.push(await gradients());
  }
  compare(seen[0].input, seen[1].input, 'gradient of the input');
  compare(seen[0].query, seen[1].query, 'gradient of q_proj');
  const times: number[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { run }] of contestants.entries()) {
      const begun = performance.now();
      await run();
      times[i].push(performance.now() - begun);
    }
    log(`round ${round + 1} of ${rounds}`);
  }
  return times.map(median);
}

export const layerBench: Bench = {
  name: 'layer',
  async run(log): Promise<BenchTable[]> {
    const rng = CounterRng.of(1, STREAMS.data);
    const random = () => Float32Array.from({ length: ROWS * CONFIG.hiddenSize }, () => rng.normal());
    const inputs: Inputs = { weights: initialWeights(CONFIG, 1), x: random(), dy: random() };
    const rows: string[][] = [];
    const report = (on: string, contestants: readonly Contestant[], times: readonly number[]) => {
      for (const [i, { name }] of contestants.entries())
        rows.push([on, name, ...[times[i], times[0] / times[i], FLOPS / 1e6 / times[i]].map(figure)]);
    };
    const loops = await openCeiling();
    const gpu = await openNodeGpu();
    // jax-js expects a page's WebGPU globals, which Node lacks.
    Object.assign(globalThis, globals);
    Object.defineProperty(globalThis, 'navigator', {
      value: { gpu, userAgent: 'node', hardwareConcurrency: 1 },
      configurable: true,
    });
    const backends = await initJax();
    const { device: cpu } = await chooseNodeDevice({ device: 'cpu', threads: 1 });
    const onCpu = [ours(cpu, 'this lab, 1 thread', inputs), jax('wasm', inputs)];
    report('CPU', onCpu, await inTurns(onCpu, ROUNDS, log));
    if (gpu && backends.includes('webgpu')) {
      const device = await createWebGpuDevice({ gpu });
      const onGpu = [ours(device, 'this lab', inputs), jax('webgpu', inputs)];
      report(device.name, onGpu, await inTurns(onGpu, device.isSoftware ? SOFTWARE_ROUNDS : ROUNDS, log));
    }
    const ceiling = Math.max(...Array.from({ length: 10 }, loops.multiplyAdd));
    return [
      {
        title: 'A layer, forward and backward, against jax-js',
        note: `The embedded model’s layer (${CONFIG.hiddenSize} wide, ${CONFIG.heads} heads), ${SEQUENCES} sequences of ${TOKENS} tokens; gradients of the input and of every weight, compared. Medians of ${ROUNDS} rounds in turns (${SOFTWARE_ROUNDS} on a software adapter). GFLOP/s counts the products alone; in the same process a thread had at best ${figure(ceiling)} of multiplications and additions in registers. The aim is no more than jax-js’s time in WebAssembly, and half of it on the same WebGPU adapter.`,
        columns: ['on', 'implementation', 'ms', 'our time / its time', 'GFLOP/s'],
        rows,
      },
    ];
  },
};
