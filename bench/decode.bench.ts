// Compares decoding with onnxruntime-web and transformers.js: all have the embedded model's weights and 64 sequences of one length, greedy, and no
// token ends a sequence; rounds alternate, each contestant in its own process (decoders.ts). The outputs are compared. transformers.js is no
// dependency of the project (it brings 450 MB, and a step of its installation downloads more from elsewhere), so it is measured only if it is
// installed. On WebGPU only onnxruntime-web is compared, on the same adapter; transformers.js is the same runtime there.
import { availableParallelism } from 'node:os';
import type { ModelConfig } from '../src/engine/types.ts';
import { linearShape, linearsOf } from '../src/engine/weight-names.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { openCeiling } from './ceiling.ts';
import { type Answer, inTurns, PROMPT, root, SEQUENCES, type Way } from './decode-turns.ts';
import { type DecoderKind, transformersVersion } from './decoders.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const NEW = 40;
const ROUNDS = 7;
/** Warm-up rounds: V8 recompiles a runtime of many megabytes while it already runs. */
const WARM = 3;
/** Sizes for a software adapter, where the first round takes minutes. */
const SOFTWARE = { maxNew: 8, rounds: 1, warm: 1 };

/** Counts the FLOPs of the products that every decoder must compute: each token but a sequence's last through the Linears, and the head for each
 *  new token. */
function flopsOf(config: ModelConfig): number {
  const linears = linearsOf(config, 0).reduce((sum, role) => {
    const [dOut, dIn] = linearShape(config, role);
    return sum + dOut * dIn * config.layers;
  }, 0);
  return 2 * SEQUENCES * (linears * (PROMPT + NEW - 1) + config.vocab * config.hiddenSize * NEW);
}

/** Sentence on the target, the result, and the machine's bound; `leastMs` is the time on one thread at its ceiling. */
function aim(
  took: (kind: DecoderKind, threads: number) => number,
  kind: 'lab' | 'lab-fused',
  cores: number,
  leastMs: number,
): string {
  const each = [...new Set([1, cores])].map((threads) => {
    const theirs = took('onnxruntime', threads);
    const [now, most] = [theirs / took(kind, threads), (theirs * threads) / leastMs];
    return `${figure(now)} on ${threads} (at the ceiling it would be ${figure(most)})`;
  });
  return `The aim is 5 times onnxruntime-web’s speed with as many threads; ${NAMES[kind]} has ${each.join(', ')}. The share of the ceiling counts products alone: what this machine’s multiply-adds in 4 lanes would need for them is ${figure(leastMs)} ms on one thread.`;
}

const NAMES: Readonly<Record<DecoderKind, string>> = {
  lab: 'this lab',
  'lab-fused': 'this lab, fused',
  onnxruntime: 'onnxruntime-web (wasm)',
  transformers: 'transformers.js (wasm)',
  'transformers-native': 'transformers.js (native onnxruntime-node)',
  'lab-webgpu': 'this lab',
  'onnxruntime-webgpu': 'onnxruntime-web (webgpu)',
};

/** Number of tokens that equal the first contestant's. */
const sameAs = (ours: Answer, theirs: Answer): string => {
  const tokens = ours.tokens.flat();
  return String(theirs.tokens.flat().filter((token, i) => token === tokens[i]).length);
};
const took = (answers: readonly Answer[]) => median(answers.map(({ ms }) => ms));

export const decodeBench: Bench = {
  name: 'decode',
  async run(log): Promise<BenchTable[]> {
    const cores = Math.min(availableParallelism(), 16);
    const found = transformersVersion(root());
    const absent =
      'transformers.js is not installed, so it does not take part: LAB_TRANSFORMERS names a folder that has it (docs/architecture/bench.md).';
    log(found === null ? absent : `decode: transformers.js ${found}`);
    const loops = await openCeiling();
    const multiplyAdd = loops.fusedMultiplyAdd ?? loops.multiplyAdd;
    const best = loops.fusedMultiplyAdd ? 'lab-fused' : 'lab';
    const kinds: DecoderKind[] = [...new Set(['lab', best] as const), 'onnxruntime'];
    if (found !== null) kinds.push('transformers', 'transformers-native');
    const ways: Way[] = [...new Set([1, cores])].flatMap((threads) => kinds.map((kind) => ({ kind, threads })));
    const ceilings: number[] = [];
    const { config, answers } = await inTurns(ways, { maxNew: NEW, rounds: ROUNDS, warm: WARM }, log, () =>
      ceilings.push(multiplyAdd()),
    );
    const flops = flopsOf(config);
    const ceiling = Math.max(...ceilings);
    const of = (kind: DecoderKind, threads: number) =>
      took(answers[ways.findIndex((way) => way.kind === kind && way.threads === threads)]);
    return [
      {
        title: 'Decoding, against onnxruntime-web and transformers.js',
        note: `tiny-coder in f32: ${SEQUENCES} prompts of ${PROMPT} tokens, ${NEW} new ones each, greedy; prefill included. Medians of ${ROUNDS} rounds in turns, a process each, after ${WARM} that do not count. onnxruntime-web in a plain loop around the lab’s own export; ${found === null ? absent : `transformers.js ${found} by \`generate\`, on the WebAssembly of the onnxruntime-web that it brings, and on its native runtime, which no page has`}. Same tokens: of ${SEQUENCES * NEW}, those that this lab wrote too (a tie in the last bit turns whatever follows). ${aim(of, best, cores, flops / 1e6 / ceiling)}`,
        columns: [
          ...[
            'implementation',
            'threads',
            'ms',
            'processor ms',
            'new tokens/s',
            'its time / ours',
            'its time / ours, fused',
          ],
          ...['share of the ceiling', 'same tokens'],
        ],
        rows: ways.map(({ kind, threads }, i) => {
          const ms = took(answers[i]);
          return [
            NAMES[kind],
            String(threads),
            figure(ms),
            figure(median(answers[i].map(({ cpuMs }) => cpuMs))),
            figure((1000 * SEQUENCES * NEW) / ms),
            figure(ms / of('lab', threads)),
            figure(ms / of(best, threads)),
            figure(flops / 1e6 / ms / (threads * ceiling)),
            sameAs(answers[0][0], answers[i][0]),
          ];
        }),
      },
    ];
  },
};

export const decodeWebGpuBench: Bench = {
  name: 'decode-webgpu',
  async run(log): Promise<BenchTable[]> {
    const device = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const ways: Way[] = (['lab-webgpu', 'onnxruntime-webgpu'] as const).map((kind) => ({ kind, threads: 1 }));
    const size = device.isSoftware ? SOFTWARE : { maxNew: NEW, rounds: ROUNDS, warm: WARM };
    const { answers } = await inTurns(ways, size, log);
    const { maxNew, rounds, warm } = size;
    return [
      {
        title: 'Decoding on WebGPU, against onnxruntime-web',
        note: `${device.name}, through Dawn in Node. tiny-coder in f32: ${SEQUENCES} prompts of ${PROMPT} tokens, ${maxNew} new ones each, greedy; prefill included. Rounds in turns, a process each: ${warm} that do not count (shaders are compiled there), and the median of ${rounds}. Same tokens: of ${SEQUENCES * maxNew}.`,
        columns: ['implementation', 'ms', 'new tokens/s', 'its time / ours', 'same tokens'],
        rows: ways.map(({ kind }, i) => {
          const ms = took(answers[i]);
          return [
            NAMES[kind],
            ...[ms, (1000 * SEQUENCES * maxNew) / ms, ms / took(answers[0])].map(figure),
            sameAs(answers[0][0], answers[i][0]),
          ];
        }),
      },
    ];
  },
};
