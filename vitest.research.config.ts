// The research's own tests: its rules and tables, and every published sheet judged again. CI runs them (`npm test` under CI, or
// `npm test -- research`); a change of the lab alone does not need them.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['research/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
