// Decoding against onnxruntime-web: the embedded model's weights in both, 64 sequences of one length, greedy, no token ends one; a
// round of each in turns. Its decoder is the lab's own export, with a key/value cache, in WebAssembly on one thread, which is what the
// lab lets it have; ours with one thread and with all. What both wrote is compared.
import { availableParallelism } from 'node:os';
import { chooseNodeDevice, loadEmbeddedModel } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/engine.ts';
import { readAll } from '../src/engine/weights/reader.ts';
import { CounterRng, keyFor, STREAMS } from '../src/rng/index.ts';
import { decoderOnnx } from '../src/storage/onnx/decoder.ts';
import { joinParts } from '../src/storage/onnx/protobuf.ts';
import { OnnxDecoder } from '../src/storage/onnx/session.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const SEQUENCES = 64;
const PROMPT = 60;
const NEW = 40;
const ROUNDS = 5;

/** Prompts [SEQUENCES][PROMPT] → tokens [SEQUENCES][NEW]. */
type Decode = (prompts: number[][]) => Promise<number[][]>;

function argmax(logits: Float32Array): number {
  let best = 0;
  for (let v = 1; v < logits.length; v++) if (logits[v] > logits[best]) best = v;
  return best;
}

export const decodeBench: Bench = {
  name: 'decode',
  async run(log): Promise<BenchTable[]> {
    const { config, weights } = await loadEmbeddedModel(process.env.LAB_ROOT ?? '.', 'tiny-coder');
    const { vocab } = config;
    const ours = async (threads: number): Promise<Decode> => {
      const { device } = await chooseNodeDevice({ device: 'cpu', threads });
      const engine = await Engine.create({ device, config, weights, adapter: 'none' });
      return async (prompts) => {
        const sequences = prompts.map((_, prompt) => ({ prompt, key: keyFor(1, STREAMS.rollout, prompt) }));
        const written = await engine.generate({ prompts, sequences, maxNew: NEW, temperature: 0, endTokens: [] });
        return written.map(({ tokens }) => [...tokens]);
      };
    };
    const decoder = await OnnxDecoder.open(joinParts(decoderOnnx(config, await readAll(weights)).model), config);
    const theirs: Decode = async (prompts) => {
      const written = prompts.map((): number[] => []);
      let step = await decoder.run(prompts, null);
      for (let t = 0; ; t++) {
        for (const [row, tokens] of written.entries())
          tokens.push(argmax(step.logits.subarray(row * vocab, (row + 1) * vocab)));
        if (t + 1 === NEW) return written;
        step = await decoder.run(
          written.map((tokens) => [tokens[t]]),
          step.past,
        );
      }
    };
    const cores = Math.min(availableParallelism(), 16);
    const ways: { label: string; decode: Decode }[] = [
      { label: 'this lab, 1 thread', decode: await ours(1) },
      ...(cores > 1 ? [{ label: `this lab, ${cores} threads`, decode: await ours(cores) }] : []),
      { label: 'onnxruntime-web (wasm), 1 thread', decode: theirs },
    ];
    const rng = CounterRng.of(1, STREAMS.data);
    const prompts = Array.from({ length: SEQUENCES }, () => Array.from({ length: PROMPT }, () => rng.int(vocab)));
    const times: number[][] = ways.map(() => []);
    let same = 0;
    for (let round = -1; round < ROUNDS; round++) {
      const written: number[][][] = [];
      for (const [i, { decode }] of ways.entries()) {
        const begun = performance.now();
        written.push(await decode(prompts));
        if (round >= 0) times[i].push(performance.now() - begun);
      }
      const theirTokens = written[written.length - 1].flat();
      same = written[0].flat().filter((token, i) => token === theirTokens[i]).length;
      log(`decode: round ${round + 1} of ${ROUNDS}`);
    }
    await decoder.free();
    const ms = times.map((each) => median(each));
    return [
      {
        title: 'Decoding, against onnxruntime-web',
        note: `tiny-coder in f32: ${SEQUENCES} prompts of ${PROMPT} tokens, ${NEW} new ones each, greedy; prefill included. Medians of ${ROUNDS} rounds in turns. ${same} of ${SEQUENCES * NEW} tokens are the same (a tie in the last bit turns whatever follows).`,
        columns: ['implementation', 'ms', 'new tokens/s', 'its time / ours on 1 thread'],
        rows: ways.map(({ label }, i) => [
          label,
          figure(ms[i]),
          figure((1000 * SEQUENCES * NEW) / ms[i]),
          figure(ms[i] / ms[0]),
        ]),
      },
    ];
  },
};
