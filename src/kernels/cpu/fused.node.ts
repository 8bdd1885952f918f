// The fused kernels in Node. From version 21 on its WebAssembly has relaxed SIMD; in version 20 V8 has it behind a flag, which may be
// set at any time before the first module that needs it is compiled. Threads and what they are handed follow the process.
// So nothing has to be passed on a command line, to a child or to a worker.
import { setFlagsFromString } from 'node:v8';

/** (a, b, c) → f32x4.relaxed_madd(a, b, c), as small as a module gets. */
const USES_IT = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // \0asm, version 1
  ...[1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b], // a type: three v128 to one
  ...[3, 2, 1, 0], // a function of it
  ...[10, 13, 1, 11, 0, 0x20, 0, 0x20, 1, 0x20, 2, 0xfd, 0x85, 2, 11], // which calls it on its parameters
);

/** Before the first device is opened. Where V8 knows no such flag, nothing changes, and the device says what is missing. */
export function allowFused(): void {
  if (!WebAssembly.validate(USES_IT)) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
