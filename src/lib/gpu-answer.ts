// WebGPU with a time limit: a driver that hangs never answers, and one that throws says what only its makers understand. Both become a
// DeviceError with a remedy, so that the choice of a device can go on without it.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';

/** Milliseconds; far beyond the time of an adapter that answers at all. */
export const PATIENCE_MS = 15_000;
const REMEDY = 'Use the CPU device; restart the browser, or update the graphics driver (in Chrome: see chrome://gpu).';

/** The result of `ask`. Throws DeviceError if it fails or does not settle in time; `late` gets a later result. */
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

/** The adapter; null without one. */
export const requestAdapter = (
  gpu: GPU,
  options: GPURequestAdapterOptions | undefined,
  patienceMs = PATIENCE_MS,
): Promise<GPUAdapter | null> => answered('requestAdapter', () => gpu.requestAdapter(options), patienceMs);
