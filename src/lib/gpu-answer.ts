// WebGPU calls with a time limit. A driver that hangs, or fails with an obscure message, results in a DeviceError with a remedy, so that
// another device can be chosen.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';

/** Time limit in milliseconds, far beyond the response time of a working adapter. */
export const PATIENCE_MS = 15_000;
const REMEDY = 'Use the CPU device; restart the browser, or update the graphics driver (in Chrome: see chrome://gpu).';

/** The result of `ask`. Throws DeviceError if it fails or does not settle in time; `late` receives a later result. */
export async function answered<T>(
  what: string,
  ask: () => Promise<T>,
  patienceMs: number,
  late: (value: T) => void = () => {},
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const answer = (async () => ask())();
  answer.then(
    (value) => isOver && late(value),
    () => {},
  );
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOver = true;
      reject(new DeviceError(`WebGPU did not answer ${what} in ${patienceMs / 1000} s`, REMEDY));
    }, patienceMs);
  });
  try {
    return await Promise.race([answer, silence]);
  } catch (cause) {
    if (cause instanceof DeviceError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeviceError(`WebGPU failed at ${what}: ${why}`, REMEDY, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Requests an adapter; null if there is none. */
export const requestAdapter = (
  gpu: GPU,
  options: GPURequestAdapterOptions | undefined,
  patienceMs = PATIENCE_MS,
): Promise<GPUAdapter | null> => answered('requestAdapter', () => gpu.requestAdapter(options), patienceMs);
