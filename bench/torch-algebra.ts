// Finds the BLAS that a PyTorch uses, on which its speed on the CPU depends: Debian's reference BLAS is ten times slower than OpenBLAS, and an
// environment variable can pin the kernel of an old processor. A comparison therefore names the BLAS and its kernel, lets no variable pin a kernel,
// and gives no ratio for the reference BLAS.
import { spawnSync } from 'node:child_process';

/** Variables that choose the kernels of OpenBLAS, MKL, BLIS, oneDNN, PyTorch and NumPy. */
const PINS = [
  ...['OPENBLAS_CORETYPE', 'OPENBLAS_L2_SIZE', 'OPENBLAS_VERBOSE', 'OPENBLAS_NUM_THREADS', 'GOTO_NUM_THREADS'],
  ...['MKL_ENABLE_INSTRUCTIONS', 'MKL_DEBUG_CPU_TYPE', 'MKL_CBWR', 'MKL_NUM_THREADS', 'NVPL_BLAS_DEBUG_CPU_TYPE'],
  ...['BLIS_ARCH_TYPE', 'BLIS_MODEL_TYPE', 'BLIS_NUM_THREADS', 'DNNL_MAX_CPU_ISA', 'ONEDNN_MAX_CPU_ISA'],
  ...['ATEN_CPU_CAPABILITY', 'NPY_DISABLE_CPU_FEATURES', 'NPY_ENABLE_CPU_FEATURES'],
];

/** Environment of a process that runs PyTorch on this many threads; an undefined variable is absent there. */
export const torchEnvironment = (threads: number): Record<string, string | undefined> => ({
  ...Object.fromEntries(PINS.map((name) => [name, undefined])),
  OMP_NUM_THREADS: String(threads),
});

/** Pinning variables that are set in this process and withheld from PyTorch. */
export const clearedPins = (env: NodeJS.ProcessEnv = process.env): string[] =>
  PINS.filter((name) => env[name] !== undefined);

/** What torch_step.py reports from its process after a product. */
export interface Algebra {
  version: string;
  /** BLAS_INFO of PyTorch's build; `generic` is whichever library the system has. */
  build: string;
  /** Vector instructions of PyTorch's own kernels, e.g. AVX2. */
  capability: string;
  /** Loaded libraries with a name from linear algebra; empty if the system does not list them, or the BLAS is linked statically. */
  libraries: readonly string[];
  /** OpenBLAS's name for the processor whose kernel is used. */
  core: string | null;
}

/** Name of the BLAS, and whether it is the reference implementation, with which no comparison is fair. */
export function blasOf({ build, libraries, core }: Algebra): { name: string; isReference: boolean } {
  const has = (part: RegExp) => libraries.some((path) => part.test(path));
  // Other libraries are also called libblas.so, in a folder of their own name. LAPACK may be OpenBLAS's even with a
  // reference BLAS.
  if (has(/^(?!.*(openblas|blis|atlas|mkl)).*\/libblas\.so/)) return { name: 'the reference BLAS', isReference: true };
  if (core !== null) return { name: `OpenBLAS, ${core} kernel`, isReference: false };
  if (build === 'mkl' || has(/mkl_(rt|core)/)) return { name: 'MKL', isReference: false };
  if (has(/blis/)) return { name: 'BLIS', isReference: false };
  if (has(/atlas/)) return { name: 'ATLAS', isReference: false };
  return { name: build, isReference: false };
}

/** One line that names the BLAS. */
export const algebraNote = (algebra: Algebra): string =>
  `PyTorch ${algebra.version} multiplies with ${blasOf(algebra).name} (${algebra.capability}).`;

/** Version of torch, or why there is none. */
export function findTorch(python: string): { version: string } | { missing: string } {
  const { status, stdout } = spawnSync(python, ['-c', 'import numpy, torch; print(torch.__version__)'], {
    encoding: 'utf8',
  });
  if (status === 0) return { version: stdout.trim() };
  return {
    missing: `${python} has no torch and numpy, so PyTorch does not take part: LAB_PYTHON names an interpreter.`,
  };
}
