// What gives a record's bits again, by the device's name and what was chosen then.
import { expect, it } from 'vitest';
import { choiceFor, contextOf, numericsOf, numericsOfContext } from './numerics.ts';

it.each([
  ['CPU (WASM SIMD)', 'cpu'],
  ['CPU (plain)', 'cpu'],
  ['CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['NVIDIA H200', 'webgpu'],
] as const)('%s has the bits of %s', (name, numerics) => {
  expect(numericsOf(name)).toBe(numerics);
});

it.each([
  ['auto', 'CPU (WASM SIMD)', 'cpu'],
  ['auto', 'CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['cpu', 'CPU (WASM SIMD, fused)', 'cpu-fused'],
  ['auto', 'NVIDIA H200', 'auto'],
  ['webgpu', 'NVIDIA H200', 'webgpu'],
  ['cpu-fused', '', 'cpu-fused'],
] as const)('%s, begun on %s, goes on with %s', (chosen, device, choice) => {
  expect(choiceFor(chosen, device)).toBe(choice);
});

it('a checkpoint says whose bits it goes on with', () => {
  for (const numerics of ['cpu', 'cpu-fused', 'webgpu'] as const)
    expect(numericsOfContext(contextOf('a'.repeat(64), '7', numerics))).toBe(numerics);
  expect(numericsOfContext('model x, grader 3')).toBeNull();
});
