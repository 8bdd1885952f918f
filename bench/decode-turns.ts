// Alternates rounds of decoding between the contestants of decoders.ts, each in its own process; for decode.bench.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelConfig } from '../src/engine/types.ts';
import { readAll } from '../src/engine/weights/reader.ts';
import { joinParts } from '../src/lib/streams.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { filesBesideWeights } from '../src/storage/model-export.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { decoderOnnx } from '../src/storage/onnx/decoder.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { Child, serve } from './child.ts';
import { type DecodeRequest, type DecoderKind, openDecoder } from './decoders.ts';

export const SEQUENCES = 64;
export const PROMPT = 60;

export const root = () => process.env.LAB_ROOT ?? '.';

export interface Answer {
  tokens: number[][];
  ms: number;
  /** Processor time of the contestant's process. */
  cpuMs: number;
}

/** Entry for main.ts in a contestant's process. */
export async function serveDecoder([kind, threads, models]: readonly string[]): Promise<void> {
  const decode = await openDecoder(kind as DecoderKind, { root: root(), threads: Number(threads), models });
  await serve('ready', async (request: DecodeRequest): Promise<Answer> => {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const tokens = await decode(request);
    const { user, system } = process.cpuUsage(used);
    return { tokens, ms: performance.now() - begun, cpuMs: (user + system) / 1000 };
  });
}

/** Writes the model in the form that transformers.js reads: the lab's ONNX export. */
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

export interface Way {
  kind: DecoderKind;
  threads: number;
}

/** Returns each contestant's answers without the first `warm` rounds. `beside` is called once per round; `log`
 *  receives each round's progress. */
export async function inTurns(
  ways: readonly Way[],
  { maxNew, rounds, warm }: { maxNew: number; rounds: number; warm: number },
  log: (line: string) => void,
  beside: () => void = () => {},
): Promise<{ config: ModelConfig; answers: Answer[][] }> {
  const models = mkdtempSync(join(tmpdir(), 'bench-decode-'));
  const children: Child[] = [];
  const answers: Answer[][] = ways.map(() => []);
  try {
    const config = await writeOnnxFolder(models);
    for (const { kind, threads } of ways) {
      const args = [process.argv[1], '--serve', 'decode', kind, String(threads), models];
      children.push((await Child.start<string>(process.execPath, args)).child);
    }
    const rng = CounterRng.of(1, STREAMS.data);
    const prompts = Array.from({ length: SEQUENCES }, () =>
      Array.from({ length: PROMPT }, () => rng.int(config.vocab)),
    );
    for (let round = -warm; round < rounds; round++) {
      for (const [i, child] of children.entries()) {
        const answer = await child.ask<Answer>({ prompts, maxNew });
        if (round >= 0) answers[i].push(answer);
      }
      beside();
      log(`decode: round ${round + 1 + warm} of ${rounds + warm}`);
    }
    return { config, answers };
  } finally {
    for (const child of children) child.end();
    rmSync(models, { recursive: true, force: true });
  }
}
