// Builds a teacher pool on the open device and stores it. It needs the model exclusively, as training does, which the handlers ensure.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { AdapterSettings, LanguageModel } from '../../engine/types.ts';
import { type PoolRow, poolToJsonl } from '../../environments/code/pool.ts';
import { thinkingIn } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { TEACHER_WORDS } from '../../experiments/kinds/probe/spec.ts';
import {
  buildPool,
  type PoolBuild,
  type PoolProgress,
  parsePoolBuild,
  poolProblems,
} from '../../experiments/pools/build.ts';
import { templatePool } from '../../experiments/pools/templates.ts';
import type { Device } from '../../kernels/device.ts';
import type { WebGpuDevice } from '../../kernels/webgpu/device.ts';
import type { FileSource } from '../../storage/sources.ts';
import { type Equipped, isEquipped, type Opened } from '../equipment/equipment.ts';
import { keptModel } from '../equipment/kept-model.ts';
import type { PoolTeacher } from '../protocol/pools.ts';
import type { PoolReport } from '../protocol/protocol.ts';
import type { Records } from '../records/records.ts';
import { drainUntilStopped } from './drain.ts';

export interface PoolBuildPorts {
  records: Records;
  /** Opens the device with this adapter (a run's). */
  equip(adapter: AdapterSettings): Promise<Equipped>;
  /** The open model, with or without an adapter. */
  opened(): Promise<Opened>;
  /** The embedded teacher's folder. */
  onnxTeacher: FileSource | undefined;
  signal: AbortSignal;
  onProgress(done: number, total: number, etaSeconds: number | null): void;
}

/** The stored pool. Throws SpecError for an invalid request, StoppedError if it was cancelled (a partial pool is not stored). */
export async function buildKeptPool(
  teacher: PoolTeacher,
  requested: PoolBuild,
  ports: PoolBuildPorts,
): Promise<PoolReport> {
  const build = parsePoolBuild(requested);
  const { records, signal } = ports;
  const { pools } = records;
  if (teacher.kind === 'templates') {
    const { grader } = await ports.opened();
    const artifacts = {
      loadPool: (key: string) => pools.loadTemplates(key),
      savePool: async (key: string, lines: string) => void (await pools.saveTemplates(key, lines, grader.version)),
    };
    const { dataSeed } = build;
    const rows = await follow(templatePool(poolProblems(build), { dataSeed, grader, artifacts, signal }), ports);
    return (await pools.byLines(poolToJsonl(rows)))!;
  }
  if (teacher.kind === 'onnx') {
    const { chosen, grader } = await ports.opened();
    return withOnnxTeacher(ports.onnxTeacher, chosen.device, async (writer) => {
      const rows = await follow(buildPool(build, { teacher: writer, grader, signal }), ports);
      return pools.saveBuilt(rows, TEACHER_WORDS);
    });
  }
  if (teacher.kind === 'base') {
    // The unchanged model writes without an adapter, so a third-party one need not be factored.
    const opened = await ports.opened();
    const adapterParams = isEquipped(opened) ? opened.policy.initialAdapterParams : null;
    return write(build, opened, adapterParams, `${opened.model.id} as it is`, ports);
  }
  const { equipped, spec, step, paramsOf } = await keptModel(teacher.runId, records, ports.equip, {
    missing: 'Choose another run, or the model as it is.',
    other: 'Choose a run that was trained on this model.',
  });
  const words = teacherWords(equipped.model.id, spec, step, teacher.model);
  return write(build, equipped, paramsOf(teacher.model), words, ports, spec);
}

async function write(
  build: PoolBuild,
  { policy, codec, grader, text }: Opened,
  adapterParams: Float32Array | null,
  words: string,
  ports: PoolBuildPorts,
  run: Partial<Pick<RunSpec, 'thinking'>> = {},
): Promise<PoolReport> {
  const teacher = new EngineLanguageModel({
    id: words,
    policy,
    adapterParams,
    codec,
    thinking: thinkingIn(run, text.knowsThinking) ?? 'keep',
  });
  const rows = await follow(buildPool(build, { teacher, grader, signal: ports.signal }), ports);
  return ports.records.pools.saveBuilt(rows, words);
}

function follow(
  stream: AsyncGenerator<PoolProgress, PoolRow[]>,
  { signal, onProgress }: PoolBuildPorts,
): Promise<PoolRow[]> {
  const started = performance.now();
  return drainUntilStopped(stream, signal, ({ done, total }) =>
    onProgress(done, total, done > 0 ? ((performance.now() - started) / 1000 / done) * (total - done) : null),
  );
}

/** Describes the teacher, in the same words in the page and on the command line. */
export function teacherWords(
  modelId: string,
  { arm, seed }: { arm: string; seed: number },
  step: number,
  model: 'trained' | 'deployed',
): string {
  return `${modelId} after ${arm}, seed ${seed}, step ${step}${model === 'deployed' ? ', deployed' : ''}`;
}

/**
 * The embedded teacher: a model run by onnxruntime-web, opened when rows are requested and freed afterwards, so that other pages never
 * fetch it, nor the code that runs it. It uses the lab's own WebGPU device if the runtime can, else WebAssembly. Throws SpecError without a
 * folder, FormatError for a file that is not such a model, and errors of `work`.
 * @param files the teacher's folder; undefined if this lab has none
 */
export async function withOnnxTeacher<Result>(
  files: FileSource | undefined,
  device: Device,
  work: (teacher: LanguageModel) => Promise<Result>,
): Promise<Result> {
  if (!files)
    throw new SpecError(
      'This lab has no embedded teacher.',
      'Choose the templates, or the model as it is, as the teacher.',
    );
  const { OnnxLanguageModel } = await import('../../storage/onnx/language-model.ts');
  const gpu = device.kind === 'webgpu' ? (device as WebGpuDevice).gpu : null;
  const plain = () => OnnxLanguageModel.open(files);
  // A file that is no model fails again here, with its own error.
  const teacher = gpu === null ? await plain() : await OnnxLanguageModel.open(files, { gpu }).catch(plain);
  try {
    return await work(teacher);
  } finally {
    await teacher.free();
  }
}
