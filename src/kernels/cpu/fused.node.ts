// Enables the fused kernels in Node. From version 21 WebAssembly has relaxed SIMD; in version 20 V8 has it behind a flag, which can be
// set at any time before the first module that needs it is compiled. It applies to the whole process including its threads, so no
// command-line option is needed.
import { setFlagsFromString } from 'node:v8';
import { MULTIPLY_ADD } from './simd.ts';

/** Must be called before the first device is created. If V8 has no such flag, nothing changes, and creating a fused device
 *  fails with an explanation. */
export function allowFused(): void {
  if (!WebAssembly.validate(MULTIPLY_ADD)) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
