// Unit and kernel tests, in Node. Forks, because a Dawn device lives for its whole process and must not be shared between test
// files. Where a file neither opens a device nor changes what others see, files share a process: what they import is then
// evaluated once and not once a file.
import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const INCLUDE = [
  'src/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'scripts/**/*.test.mjs',
  'fuzz/**/*.test.ts',
  'examples/**/*.test.ts',
];

/** Of what knows no device. */
const PURE = ['algorithms', 'environments', 'share', 'stats', 'store', 'text', 'ui'].map((layer) => `src/${layer}`);
/** In a test that changes what other files see, or that opens what lasts as long as its process. */
const ALONE =
  /\bvi\.|\bprocess\.(env|chdir|on)\b|globalThis|node:(child_process|worker_threads)|\.node\.ts'|webgpu|memoryUsage/;

const shared = [...PURE, 'packages/are/src', 'packages/base/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !ALONE.test(readFileSync(path, 'utf8'))),
);

const common = { pool: 'forks' as const, testTimeout: 300_000, hookTimeout: 300_000 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'shared', include: shared, isolate: false } },
      { test: { ...common, name: 'alone', include: INCLUDE, exclude: shared } },
    ],
  },
});
