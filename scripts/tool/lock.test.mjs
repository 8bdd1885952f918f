// The lock file names every package by its content: what is installed is what was looked at, whoever serves it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

/**
 * Without a hash, and why. Biome's programs for other systems than Linux with glibc: npm writes the hash of what it was offered,
 * and of 2.6.8 these were not to be had when the file was written. None is installed on the systems that the tests run on; `npm
 * install --package-lock-only` completes them as soon as they can be had, and then this test asks for their lines to go.
 */
const WITHOUT = ['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64']
  .concat(['linux-arm64-musl', 'linux-x64-musl', 'win32-arm64', 'win32-x64'])
  .map((system) => `node_modules/@biomejs/cli-${system}`);

const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
const entries = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('has a sha-512 of every package, but for those that are named here', () => {
    expect(entries.length).toBeGreaterThan(100);
    const bare = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(bare.map(([path]) => path).sort()).toEqual([...WITHOUT].sort());
  });

  it('has none without one that is shipped, or that must be installed', () => {
    for (const path of WITHOUT)
      expect(packages[path], path).toMatchObject({ dev: true, optional: true, os: [expect.any(String)] });
  });

  it('takes packages from the registry alone, and names no host', () => {
    for (const [path, { resolved = '', link }] of entries) {
      expect(resolved, path).toBe('');
      expect(link, path).toBeUndefined();
    }
  });

  it('has exact versions of whatever the project names', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`].version, name).toBe(version);
    }
  });
});
