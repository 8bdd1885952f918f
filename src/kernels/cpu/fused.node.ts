// The fused kernels in Node. From version 21 on its WebAssembly has relaxed SIMD; in version 20 V8 has it behind a flag, which may be
// set at any time before the first module that needs it is compiled. Threads and what they are handed follow the process.
// So nothing has to be passed on a command line, to a child or to a worker.
import { setFlagsFromString } from 'node:v8';
import { MULTIPLY_ADD } from './simd.ts';

/** Must be called before the first device is opened. Where V8 knows no such flag, nothing changes, and the device says
 *  what is missing. */
export function allowFused(): void {
  if (!WebAssembly.validate(MULTIPLY_ADD)) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
