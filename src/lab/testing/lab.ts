// A lab without a browser, for tests: an untrained model with the embedded model's architecture, the real grader in Node, stores in memory,
// the CPU device. It runs the worker's own code.
import { configToJson } from '../../engine/config.ts';
import { initialWeights } from '../../engine/decoder/trainer.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { committedTexts } from '../../environments/code/testing/tokenizer.node.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { TINY_CODER } from '../../experiments/loop/pretrain.ts';
import type { BlobStore } from '../../storage/factor-cache.ts';
import { memoryStores, type Stores } from '../../storage/kv.ts';
import { writeSafetensors } from '../../storage/safetensors-write.ts';
import { type FileSource, memorySource } from '../../storage/sources.ts';
import type { GpuProvider } from '../equipment/devices.ts';
import { Equipment } from '../equipment/equipment.ts';
import type { RealProblems } from '../equipment/real-problems.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { Records } from '../records/records.ts';
import { servePageWorker } from '../work/page-worker.ts';
import type { WorkerHost } from '../work/page-workers.ts';
import type { Locks } from '../work/ports.ts';
import { LabSession } from '../work/session.ts';

/** Two layers of width 64: a step takes milliseconds. */
export const TEST_MODEL: ModelConfig = { ...TINY_CODER, layers: 2, hiddenSize: 64, heads: 2, kvHeads: 1, ffn: 96 };

let tokenizer: Record<string, string> | undefined;
/** model.safetensors by shape and seed, cached because most tests open several labs on the same one. */
const weightFiles = new Map<string, Blob>();

/** A model's folder: path → file. Another seed gives another model of the same shape. */
export function testModelFolder(config: ModelConfig = TEST_MODEL, seed = 1): Map<string, Blob> {
  tokenizer ??= committedTexts();
  const key = JSON.stringify([config, seed]);
  let file = weightFiles.get(key);
  if (!file) {
    const weights = new Map(
      [...initialWeights(config, seed)].map(([name, t]) => [name, { dtype: 'F32' as const, ...t }]),
    );
    file = new Blob([writeSafetensors(weights)]);
    weightFiles.set(key, file);
  }
  return new Map([
    ['config.json', new Blob([JSON.stringify(configToJson(config))])],
    ['model.safetensors', file],
    ...Object.entries(tokenizer).map(([name, text]) => [name, new Blob([text])] as const),
  ]);
}

const testModelFiles = (): FileSource => memorySource(testModelFolder());

/** Run workers without threads: each behind a message channel, so that messages are cloned as in a page. `opened` counts them. */
export function memoryWorkers(opened: { count: number } = { count: 0 }): WorkerHost {
  return {
    cores: 2,
    bytes: 8e9,
    rollouts: 1,
    start() {
      opened.count++;
      const { port1, port2 } = new MessageChannel();
      servePageWorker(port2, { files: testModelFiles, threads: () => undefined });
      return {
        port: port1,
        onDied: () => {},
        terminate: () => {
          port1.close();
          port2.close();
        },
      };
    },
  };
}

/** Locks of one browser, shared by labs with the same set. */
export function memoryLocks(names: Set<string> = new Set()): Locks {
  return {
    async hold(id) {
      if (names.has(id)) return null;
      names.add(id);
      return () => void names.delete(id);
    },
    held: async () => new Set(names),
    async freed(id) {
      while (names.has(id)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

export interface TestLab {
  records: Records;
  equipment: Equipment;
  session: LabSession;
  events: WorkerEvent[];
  /** Resolves with the first matching event, past or future. */
  until(matches: (event: WorkerEvent) => boolean): Promise<WorkerEvent>;
  close(): Promise<void>;
}

export async function openTestLab(
  stores?: Stores,
  locks = memoryLocks(),
  onEvent?: (event: WorkerEvent) => void,
  factors?: BlobStore,
  realOf?: (records: Records) => RealProblems,
  gpu: GpuProvider = async () => null,
  embedded?: (id: string) => FileSource,
  workers?: WorkerHost,
): Promise<TestLab> {
  const grader = await createNodeGrader();
  const records = new Records(stores ?? (await memoryStores()), () => 1_700_000_000_000);
  const equipment = new Equipment({
    modelId: 'tiny-coder',
    files: testModelFiles(),
    gpu,
    grader,
    onProgress: () => {},
    factors,
  });
  const events: WorkerEvent[] = [];
  const waiting: { matches: (event: WorkerEvent) => boolean; resolve: (event: WorkerEvent) => void }[] = [];
  const session = new LabSession({
    records,
    equipment,
    locks,
    appVersion: 'test',
    emit(event) {
      // Cloned as by postMessage: later changes to a record must not reach what was sent.
      const sent = structuredClone(event);
      events.push(sent);
      onEvent?.(sent);
      for (const { matches, resolve } of waiting) if (matches(sent)) resolve(sent);
    },
    date: () => 1_700_000_000_000,
    now: () => performance.now(),
    real: realOf?.(records),
    embedded,
    workers,
  });
  return {
    records,
    equipment,
    session,
    events,
    until: (matches) =>
      new Promise((resolve) => {
        const past = events.find(matches);
        if (past) resolve(past);
        else waiting.push({ matches, resolve });
      }),
    async close() {
      equipment.close();
      await grader.close();
    },
  };
}

let open: TestLab[] = [];

/** A test lab that `closeTestLabs` closes. */
export async function openedLab(...args: Parameters<typeof openTestLab>): Promise<TestLab> {
  const made = await openTestLab(...args);
  open.push(made);
  return made;
}

/** For use in afterEach. */
export async function closeTestLabs(): Promise<void> {
  await Promise.all(open.map((made) => made.close()));
  open = [];
}

export const SMALL = {
  maxNew: 12,
  problems: 8,
  evalProblems: 2,
  finalEvalProblems: 4,
  checkpointEvery: 1,
  pairs: 8,
  k: 2,
} as const;
/** Small runs on the CPU device; `changes` go to the overrides. */
export const smallSpec = (changes: Record<string, unknown> = {}, arms: readonly string[] = ['route-update']) =>
  parseExperimentSpec({ preset: 'smoke', arms, device: 'cpu', overrides: { ...SMALL, ...changes } });

/** Matches the event of an experiment that is neither waiting nor running any more. */
export const ended = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

export const statusOf = (event: WorkerEvent) => (event.type === 'experiment' ? event.summary.status : null);
