// The lock file names every package by its content: what is installed is what was looked at, whoever serves it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
const entries = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('has a sha-512 of every package, for every system that it may be installed on', () => {
    expect(entries.length).toBeGreaterThan(100);
    const bare = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(bare.map(([path]) => path)).toEqual([]);
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
