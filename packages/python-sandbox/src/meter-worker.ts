// Entry of the worker that adds the meter to an interpreter (meter.ts): it reads and writes every byte, which would block the page for 0.1
// s, and for CPython's for 1 s.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { type MeteredOptions, metered } from './meter.ts';

export interface ToMeter {
  wasm: ArrayBuffer;
  options?: MeteredOptions;
}

export type FromMeter = { wasm: ArrayBuffer } | { message: string; remedy: string };

addEventListener('message', ({ data: { wasm, options } }: MessageEvent<ToMeter>) => {
  try {
    const { buffer } = metered(new Uint8Array(wasm), options);
    postMessage({ wasm: buffer } satisfies FromMeter, { transfer: [buffer] });
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    postMessage({ message: error.message, remedy: error.remedy } satisfies FromMeter);
  }
});
