// MicroPython's pool in Node: sandbox workers are threads without environment, standard input or arguments, and with limited memory. As in
// the browser, they are isolated from the network, the disk and this process by the restricted WebAssembly imports.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { metered } from './meter.ts';
import { createPool, GraderError, type SandboxEvents, type SandboxHandle, TIME_LIMIT_MS } from './pool.ts';
import type { SandboxPool } from './protocol.ts';
import { DEFAULT_LIMITS, type Limits, MICROPYTHON_METER } from './protocol.ts';
import { nodeWorkerSource } from './sandbox-source.ts';
import type { FromSandbox, ToSandbox } from './sandbox-worker.ts';

export interface NodePoolOptions {
  /** Number of threads; each runs about 1,000 to 2,000 programs a second. Default 2. */
  workers?: number;
  /** Wall-clock limit of a program in milliseconds, in case Limits.work does not end it; ordinary programs take about 3. Default 15,000. */
  timeLimitMs?: number;
  limits?: Partial<Limits>;
  /** Equal programs are run once (equal-programs.ts). Default true. */
  equalOnce?: boolean;
}

const WASM = '@micropython/micropython-webassembly-pyscript/micropython.wasm';

/** Compiles MicroPython from node_modules. Throws GraderError if it is missing or damaged. */
export async function loadMicroPython(): Promise<WebAssembly.Module> {
  try {
    const bytes = await readFile(createRequire(import.meta.url).resolve(WASM));
    return await WebAssembly.compile(metered(bytes, MICROPYTHON_METER));
  } catch (cause) {
    throw new GraderError(`MicroPython could not be loaded: ${WASM}.`, 'Run npm ci in the project folder.', { cause });
  }
}

/** A sandbox worker in its own thread. `source` is the worker's script, `init` its first message. */
export function sandboxThread(
  source: string,
  init: Extract<ToSandbox, { kind: 'init' }>,
  resourceLimits: ResourceLimits,
  events: SandboxEvents,
): SandboxHandle {
  const worker = new Worker(source, {
    eval: true,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  const post = (message: ToSandbox): void => worker.postMessage(message);
  worker.on('message', (message: FromSandbox) => events.message(message));
  worker.on('error', (error) => events.died(String(error)));
  worker.on('exit', (code) => events.died(`exit ${code}`));
  // An open pool alone must not keep the process alive.
  worker.unref();
  post(init);
  return { post, terminate: () => void worker.terminate() };
}

/** `source` is the workers' script. */
export async function createNodePool(options: NodePoolOptions = {}, source = nodeWorkerSource()): Promise<SandboxPool> {
  const module = await loadMicroPython();
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const resources = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };
  const spawn = (events: SandboxEvents): SandboxHandle =>
    sandboxThread(source, { kind: 'init', module, limits }, resources, events);
  const { workers = 2, timeLimitMs = TIME_LIMIT_MS, equalOnce = true } = options;
  return createPool({ spawn, workers, timeLimitMs, equalOnce });
}
