// Configures unit and kernel tests in Node. Files that change no shared state share a process, so that their imports are evaluated once and not
// once per file, which for most files costs more than their tests. Files that compute on the WebGPU device of their process share one too, since
// a software adapter compiles every kernel anew for each device. Processes are forks, because a Dawn device lives for its whole process.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const INCLUDE = [
  'src/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'scripts/**/*.test.mjs',
  'fuzz/**/*.test.ts',
  'examples/**/*.test.ts',
  'bench/**/*.test.ts',
];

/** Matches the text of a test file that changes state which other files see. */
const ALONE =
  /\bvi\.(?!waitFor\b)|\bprocess\.(env|chdir|on)\b|globalThis|node:(child_process|worker_threads)|memoryUsage|allowFused\(/;
/** Matches a test file that computes on the WebGPU device of its process (kernels/webgpu/testing.ts). */
const ON_DEVICE = /\b(openDevices|bothDevices|sharedGpu|sharedTestDevice)\(/;
/** Matches, by path or text, a test file that opens a WebGPU device. */
const GPU = /\bopenTestDevice\(|openNodeGpu|createWebGpuDevice|kernels\/webgpu|webgpu\/testing|'webgpu'/;

const tests = ['src', 'packages', 'fuzz', 'bench']
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .map((path) => ({ path, text: path + readFileSync(path, 'utf8') }))
  .filter(({ text }) => !ALONE.test(text));
const onDevice = tests.filter(({ text }) => ON_DEVICE.test(text)).map(({ path }) => path);
const shared = tests.filter(({ text }) => !ON_DEVICE.test(text) && !GPU.test(text)).map(({ path }) => path);

const common = { pool: 'forks' as const, testTimeout: 300_000, hookTimeout: 300_000 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'shared', include: shared, isolate: false } },
      { test: { ...common, name: 'device', include: onDevice, isolate: false } },
      { test: { ...common, name: 'alone', include: INCLUDE, exclude: [...shared, ...onDevice] } },
    ],
  },
});
