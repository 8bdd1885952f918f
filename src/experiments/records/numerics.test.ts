// Tests which device reproduces a record's bits, given the recorded device name and the device choice at the time.
import { expect, it } from 'vitest';
import type { Numerics } from '../../kernels/device.ts';
import { choiceFor, contextOf, isContext, numericsOf, numericsOfContext } from './numerics.ts';

it.each([
  ['CPU (WASM SIMD)', 'cpu'],
  ['CPU (plain)', 'cpu'],
  ['CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['NVIDIA H200', 'webgpu'],
  ['NVIDIA H200, 8-bit products', 'webgpu-int8'],
] as const)('%s has the bits of %s', (name, numerics) => {
  expect(numericsOf(name)).toBe(numerics);
});

it.each([
  ['auto', 'CPU (WASM SIMD)', 'cpu'],
  ['auto', 'CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['cpu', 'CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['auto', 'NVIDIA H200', 'auto'],
  ['webgpu', 'NVIDIA H200', 'webgpu'],
  ['auto', 'NVIDIA H200, 8-bit products', 'webgpu-int8'],
  ['cpu-fused', '', 'cpu-fused'],
] as const)('%s, begun on %s, goes on with %s', (chosen, device, choice) => {
  expect(choiceFor(chosen, device)).toBe(choice);
});

it('a checkpoint names the device whose bits it continues with: on WebGPU the adapter and its driver', () => {
  const of = (numerics: Numerics, name: string) => contextOf('a'.repeat(64), '7', { numerics, name });
  for (const numerics of ['cpu', 'cpu-fused', 'webgpu', 'webgpu-int8'] as const)
    expect(numericsOfContext(of(numerics, 'Any (driver 5)'))).toBe(numerics);
  expect(numericsOfContext('model x, grader 3')).toBeNull();
  expect(of('cpu', 'CPU (WASM SIMD)')).toBe(of('cpu', 'CPU (plain)'));
  const driver5 = of('webgpu', 'Any (driver 5)');
  expect(isContext(driver5, driver5)).toBe(true);
  expect(isContext(driver5, of('webgpu', 'Any (driver 6)'))).toBe(false);
  expect(isContext(driver5, of('cpu', 'CPU'))).toBe(false);
  expect(isContext(driver5, of('webgpu-int8', 'Any (driver 5)'))).toBe(false);
  // This record is older than the recording of drivers.
  const before = `model ${'a'.repeat(64)}, grader 7, webgpu device`;
  expect(isContext(before, driver5)).toBe(true);
  expect(isContext(before, of('cpu', 'CPU'))).toBe(false);
  expect(isContext(before, of('webgpu-int8', 'Any'))).toBe(false);
});
