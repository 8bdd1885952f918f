// A whole experiment that is small enough for a test, with real parts: the engine on the CPU device with a small random model, and the real
// tokenizer, problems, pool, pairs and grader.
import { resolve } from 'node:path';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomWeights } from '../../engine/testing/models.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { committedTokenizer } from '../../environments/code/testing/tokenizer.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { loadCodec } from '../../text/codec.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../config/spec.ts';
import { type ExperimentPorts, runExperiment } from '../kinds/run/experiment.ts';
import type { Checkpoint, CheckpointStore } from '../records/checkpoint.ts';
import type { ExperimentResult, LabEvent } from '../records/events.ts';

export interface TinyLab {
  device: Device;
  engine: Engine;
  codec: PromptCodec;
  grader: Grader;
  close(): Promise<void>;
}

/** Two layers of width 24 over the real vocabulary; the model writes noise, which suffices to test determinism. */
export async function openTinyLab(
  adapter?: AdapterSettings,
  options?: Parameters<typeof createCpuDevice>[0],
): Promise<TinyLab> {
  const { tokenizer, config } = committedTokenizer();
  const codec = await loadCodec(tokenizer, config);
  const model = parseConfig({
    model_type: 'qwen3',
    hidden_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 8,
    intermediate_size: 32,
    vocab_size: 512,
    rope_theta: 10000,
    tie_word_embeddings: true,
    max_position_embeddings: 256,
  });
  const device = await createCpuDevice(options);
  const engine = await Engine.create({ device, config: model, weights: randomWeights(model, 3), adapter });
  const grader = await createNodeGrader({ workers: 1 });
  return {
    device,
    engine,
    codec,
    grader,
    close: async () => {
      engine.free();
      await grader.close();
    },
  };
}

/** A tiny lab whose grader passes half of all texts, by hash: the real grader passes no noise, which would leave every group flat. */
export async function openCoinLab(
  adapter?: AdapterSettings,
  isHack: (completion: string) => boolean = () => false,
): Promise<TinyLab> {
  const real = await openTinyLab(adapter);
  const grade: Grader['grade'] = async (items) =>
    items.map(({ completion }) => {
      const passed = hash32(completion) % 2 === 0;
      const exploited = isHack(completion);
      const none = { formatOk: false, structural: false, mechanism: null, note: null };
      return { ...none, exploited, passed, gt_correct: passed && !exploited, reward: Number(passed) };
    });
  return { ...real, grader: { ...real.grader, version: 'coin', grade, close: () => real.grader.close() } };
}

/** One of the lab's embedded models on the CPU, by its folder below public/models. */
export async function openModelLab(model: string): Promise<TinyLab> {
  const files = await loadModelFiles(diskSource(resolve('public', 'models', model)));
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, config: files.config, weights: files.weights });
  const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const grader = await createNodeGrader({ workers: 1 });
  const close = async () => {
    engine.free();
    await grader.close();
  };
  return { device, engine, codec, grader, close };
}

/** Four small steps of four rollouts, including teacher rows; `changes` go to the overrides. */
export function tinySpec(input: Partial<ExperimentSpec>): ExperimentSpec {
  const overrides: ExperimentSpec['overrides'] = {
    steps: 4,
    maxNew: 10,
    problems: 8,
    pairs: 6,
    k: 2,
    evalEvery: 2,
    evalProblems: 3,
    finalEvalProblems: 4,
    checkpointEvery: 2,
    warmupFrac: 0,
    ...input.overrides,
  };
  return parseExperimentSpec({ preset: 'smoke', seeds: [41], ...input, overrides });
}

export interface Ran {
  events: LabEvent[];
  result: ExperimentResult;
  checkpoints: Map<string, Checkpoint[]>;
}

export function memoryCheckpoints(kept = new Map<string, Checkpoint[]>()): CheckpointStore {
  return {
    load: async (id) => kept.get(id)?.at(-1) ?? null,
    save: async (checkpoint) => {
      kept.set(checkpoint.runId, [...(kept.get(checkpoint.runId) ?? []), checkpoint]);
    },
  };
}

/** `events` receives every event as it comes, including those before a failure. */
export async function runTiny(
  lab: TinyLab,
  spec: ExperimentSpec,
  ports: Partial<ExperimentPorts> = {},
  events: LabEvent[] = [],
): Promise<Ran> {
  const checkpoints = new Map<string, Checkpoint[]>();
  let clock = 0;
  const stream = runExperiment(spec, {
    experimentId: 'test',
    policy: lab.engine,
    device: lab.device,
    codec: lab.codec,
    grader: lab.grader,
    about: { modelId: 'tiny-coder', modelSha256: 'random', appVersion: 'test' },
    checkpoints: memoryCheckpoints(checkpoints),
    artifacts: null,
    date: () => 0,
    now: () => clock++,
    ...ports,
  });
  for (;;) {
    const next = await stream.next();
    if (next.done) return { events, result: next.value, checkpoints };
    events.push(next.value);
  }
}
