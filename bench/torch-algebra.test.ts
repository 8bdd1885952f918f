import { describe, expect, it } from 'vitest';
import { type Algebra, algebraNote, blasOf, clearedPins, torchEnvironment } from './torch-algebra.ts';

const FOUND: Algebra = { version: '2.9.0', build: 'generic', capability: 'AVX2', libraries: [], core: null };
const debian = '/usr/lib/x86_64-linux-gnu';

describe('the linear algebra of PyTorch', () => {
  it.each<[string, Partial<Algebra>, string, boolean]>([
    ['Debian’s reference BLAS', { libraries: [`${debian}/blas/libblas.so.3.11.0`] }, 'the reference BLAS', true],
    [
      'OpenBLAS in its place',
      { libraries: [`${debian}/openblas-pthread/libblas.so.3`], core: 'SkylakeX' },
      'OpenBLAS, SkylakeX kernel',
      false,
    ],
    [
      'the reference BLAS beside OpenBLAS’s LAPACK',
      { libraries: [`${debian}/blas/libblas.so.3`, `${debian}/openblas-pthread/liblapack.so.3`], core: 'Haswell' },
      'the reference BLAS',
      true,
    ],
    ['MKL linked into a wheel', { build: 'mkl' }, 'MKL', false],
    ['MKL as the system’s', { libraries: ['/opt/intel/libmkl_rt.so.2'] }, 'MKL', false],
    ['BLIS', { libraries: [`${debian}/blis-openmp/libblas.so.3`] }, 'BLIS', false],
    ['one that is linked in', { build: 'accelerate' }, 'accelerate', false],
  ])('%s', (_, found, name, isReference) => {
    expect(blasOf({ ...FOUND, ...found })).toEqual({ name, isReference });
  });

  it('is named with the vector instructions of PyTorch’s own kernels', () => {
    expect(algebraNote({ ...FOUND, core: 'Zen' })).toBe('PyTorch 2.9.0 multiplies with OpenBLAS, Zen kernel (AVX2).');
  });

  it('is not pinned by an environment variable of this process', () => {
    const pinned = { OPENBLAS_CORETYPE: 'Haswell', HOME: '/root' };
    expect(clearedPins(pinned)).toEqual(['OPENBLAS_CORETYPE']);
    const environment = { ...pinned, ...torchEnvironment(2) };
    expect(environment).toMatchObject({ HOME: '/root', OMP_NUM_THREADS: '2' });
    expect(environment.OPENBLAS_CORETYPE).toBeUndefined();
  });
});
