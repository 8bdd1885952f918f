// Decoding against onnxruntime-web and transformers.js: the embedded model's weights in all, 64 sequences of one length, greedy, no
// token ends one; a round of each in turns, each in a process of its own (decoders.ts). What all wrote is compared. transformers.js is no
// dependency of the project (it brings 450 MB, and a step of its installation downloads more from elsewhere): it takes part where it is found.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelConfig } from '../src/engine/types.ts';
import { LINEARS, linearShape } from '../src/engine/weight-names.ts';
import { readAll } from '../src/engine/weights/reader.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { filesBesideWeights } from '../src/storage/model-export.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { decoderOnnx } from '../src/storage/onnx/decoder.ts';
import { joinParts } from '../src/storage/onnx/protobuf.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { openCeiling } from './ceiling.ts';
import { Child, serve } from './child.ts';
import { type DecodeRequest, type DecoderKind, openDecoder, transformersVersion } from './decoders.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const SEQUENCES = 64;
const PROMPT = 60;
const NEW = 40;
const ROUNDS = 7;
/** V8 compiles a runtime of many megabytes again while it already runs. */
const WARM = 3;

const root = () => process.env.LAB_ROOT ?? '.';

interface Answer {
  tokens: number[][];
  ms: number;
  /** Processor time of the contestant's process. */
  cpuMs: number;
}

/** What main.ts runs in a contestant's process. */
export async function serveDecoder([kind, threads, models]: readonly string[]): Promise<void> {
  const decode = await openDecoder(kind as DecoderKind, { root: root(), threads: Number(threads), models });
  await serve('ready', async (request: DecodeRequest): Promise<Answer> => {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const tokens = await decode(request);
    const { user, system } = process.cpuUsage(used);
    return { tokens, ms: performance.now() - begun, cpuMs: (user + system) / 1000 };
  });
}

/** The model as transformers.js wants it: the lab's ONNX export. */
async function writeOnnxFolder(models: string): Promise<ModelConfig> {
  const source = diskSource(join(root(), 'public', 'models', 'tiny-coder'));
  const files = await loadModelFiles(source);
  const folder = join(models, 'tiny-coder');
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  for (const [name, bytes] of await filesBesideWeights(files, source)) writeFileSync(join(folder, name), bytes);
  const graph = decoderOnnx(files.config, await readAll(files.weights)).model;
  writeFileSync(join(folder, 'onnx', 'model.onnx'), joinParts(graph));
  return files.config;
}

/** Of the products that no decoder can do without: every token but the last of a sequence through the Linears, a head for each new one. */
function flopsOf(config: ModelConfig): number {
  const linears = LINEARS.reduce((sum, role) => {
    const [dOut, dIn] = linearShape(config, role);
    return sum + dOut * dIn * config.layers;
  }, 0);
  return 2 * SEQUENCES * (linears * (PROMPT + NEW - 1) + config.vocab * config.hiddenSize * NEW);
}

/** What was aimed at beside what is, and what the machine could give at most; `leastMs` on one thread at its ceiling. */
function aim(took: (kind: DecoderKind, threads: number) => number, cores: number, leastMs: number): string {
  const each = [...new Set([1, cores])].map((threads) => {
    const theirs = took('onnxruntime', threads);
    const [now, most] = [theirs / took('lab', threads), (theirs * threads) / leastMs];
    return `${figure(now)} on ${threads} (at the ceiling it would be ${figure(most)})`;
  });
  return `The aim is 5 times onnxruntime-web’s speed with as many threads; it is ${each.join(', ')}. The share of the ceiling counts products alone: what this machine’s multiply-adds in 4 lanes would need for them is ${figure(leastMs)} ms on one thread.`;
}

const NAMES: Readonly<Record<DecoderKind, string>> = {
  lab: 'this lab',
  onnxruntime: 'onnxruntime-web (wasm)',
  transformers: 'transformers.js (wasm)',
  'transformers-native': 'transformers.js (native onnxruntime-node)',
};

export const decodeBench: Bench = {
  name: 'decode',
  async run(log): Promise<BenchTable[]> {
    const cores = Math.min(availableParallelism(), 16);
    const found = transformersVersion(root());
    const absent =
      'transformers.js is not installed, so it does not take part: LAB_TRANSFORMERS names a folder that has it (docs/architecture/bench.md).';
    log(found === null ? absent : `decode: transformers.js ${found}`);
    const kinds: DecoderKind[] = ['lab', 'onnxruntime'];
    if (found !== null) kinds.push('transformers', 'transformers-native');
    const models = mkdtempSync(join(tmpdir(), 'bench-decode-'));
    const ceilings: number[] = [];
    let flops = 0;
    const ways: { kind: DecoderKind; threads: number; child: Child; answers: Answer[] }[] = [];
    try {
      const config = await writeOnnxFolder(models);
      flops = flopsOf(config);
      const loops = await openCeiling();
      for (const threads of new Set([1, cores]))
        for (const kind of kinds) {
          const args = [process.argv[1], '--serve', 'decode', kind, String(threads), models];
          const { child } = await Child.start<string>(process.execPath, args);
          ways.push({ kind, threads, child, answers: [] });
        }
      const rng = CounterRng.of(1, STREAMS.data);
      const prompts = Array.from({ length: SEQUENCES }, () =>
        Array.from({ length: PROMPT }, () => rng.int(config.vocab)),
      );
      for (let round = -WARM; round < ROUNDS; round++) {
        for (const { child, answers } of ways) {
          const answer = await child.ask<Answer>({ prompts, maxNew: NEW });
          if (round >= 0) answers.push(answer);
        }
        ceilings.push(loops.multiplyAdd());
        log(`decode: round ${round + 1 + WARM} of ${ROUNDS + WARM}`);
      }
    } finally {
      for (const { child } of ways) child.end();
      rmSync(models, { recursive: true, force: true });
    }
    const ceiling = median(ceilings);
    const ours = ways[0].answers[0].tokens.flat();
    const took = (kind: DecoderKind, threads: number) =>
      median(ways.find((way) => way.kind === kind && way.threads === threads)!.answers.map(({ ms }) => ms));
    return [
      {
        title: 'Decoding, against onnxruntime-web and transformers.js',
        note: `tiny-coder in f32: ${SEQUENCES} prompts of ${PROMPT} tokens, ${NEW} new ones each, greedy; prefill included. Medians of ${ROUNDS} rounds in turns, a process each, after ${WARM} that do not count. onnxruntime-web in a plain loop around the lab’s own export; ${found === null ? absent : `transformers.js ${found} by \`generate\`, on the WebAssembly of the onnxruntime-web that it brings, and on its native runtime, which no page has`}. Same tokens: of ${SEQUENCES * NEW}, those that this lab wrote too (a tie in the last bit turns whatever follows). ${aim(took, cores, flops / 1e6 / ceiling)}`,
        columns: [
          'implementation',
          'threads',
          'ms',
          'processor ms',
          'new tokens/s',
          'its time / ours',
          'share of the ceiling',
          'same tokens',
        ],
        rows: ways.map(({ kind, threads, answers }) => {
          const ms = median(answers.map((answer) => answer.ms));
          return [
            NAMES[kind],
            String(threads),
            figure(ms),
            figure(median(answers.map(({ cpuMs }) => cpuMs))),
            figure((1000 * SEQUENCES * NEW) / ms),
            figure(ms / took('lab', threads)),
            figure(flops / 1e6 / ms / (threads * ceiling)),
            String(answers[0].tokens.flat().filter((token, i) => token === ours[i]).length),
          ];
        }),
      },
    ];
  },
};
