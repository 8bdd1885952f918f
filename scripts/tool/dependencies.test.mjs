import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whatIsMissing } from './dependencies.mjs';
import { at } from './project.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deps-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const lock = {
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0', optional: true } },
};
function write(path, value) {
  writeFileSync(join(root, path), JSON.stringify(value));
}

describe('dependencies', () => {
  it('are compared with the lock file by version and presence', () => {
    write('package-lock.json', lock);
    expect(whatIsMissing(root)).toBe('no dependencies are installed');
    mkdirSync(join(root, 'node_modules/a'), { recursive: true });
    write('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version: '0.9.0' } } });
    expect(whatIsMissing(root)).toBe('a is 0.9.0, not 1.0.0');
    write('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version: '1.0.0' } } });
    expect(whatIsMissing(root)).toBeNull();
    rmSync(join(root, 'node_modules/a'), { recursive: true });
    expect(whatIsMissing(root)).toMatch(/^a is/);
  });

  it('are all in the lock file, for every platform, since npm ci refuses a lock file without an optional package', () => {
    const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
    const missing = Object.values(packages)
      .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
      .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });
});
