// Tests how `npm test` names journeys that passed at the second try, from a report that Playwright writes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from './project.mjs';
import { flakyOf } from './test.mjs';

const TESTS = `
import { expect, test } from '@playwright/test';
test('steady', () => {});
test.describe('inner', () => {
  test('racing', ({}, info) => expect(info.retry).toBe(1));
});
`;

it('names each flaky journey with its file and line', () => {
  // The folder is inside the project, where the runner is found, and below the builds, which no list of files contains.
  const folder = realpathSync(mkdtempSync(join(at('node_modules'), '.flaky-')));
  try {
    writeFileSync(join(folder, 'some.spec.mjs'), TESTS);
    writeFileSync(join(folder, 'playwright.config.mjs'), 'export default {};');
    const report = join(folder, 'report.json');
    const args = [at('node_modules', '@playwright', 'test', 'cli.js'), 'test', '--retries=1', '--reporter=json'];
    execFileSync(process.execPath, args, { cwd: folder, env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report } });
    expect(flakyOf(JSON.parse(readFileSync(report, 'utf8')))).toEqual(['some.spec.mjs:5 racing']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('names no journey if none was tried twice', () => expect(flakyOf({})).toEqual([]));
