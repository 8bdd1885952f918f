// Tests that the lock file has a hash of every package, so that the installed packages are the reviewed ones, whoever serves them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
// The project's own workspaces need no hash.
const isOwn = ([path, { link }]) => path === '' || path === 'research' || path.startsWith('packages/') || link;
const entries = Object.entries(packages).filter((entry) => !isOwn(entry));

describe('the lock file', () => {
  it('has a sha-512 of every package, for every system that it may be installed on', () => {
    expect(entries.length).toBeGreaterThan(100);
    const bare = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  it('takes packages only from the registry, and names no host', () => {
    for (const [path, { resolved = '' }] of entries) expect(resolved, path).toBe('');
    const links = Object.entries(packages).filter(([, { link }]) => link);
    for (const [path, { resolved }] of links) expect(resolved, path).toMatch(/^(research|packages\/[\w-]+)$/);
  });

  it('has no package with an install script except those of SECURITY.md, and npm allows only these', () => {
    const listed = [...readFileSync(at('SECURITY.md'), 'utf8').matchAll(/^\| `(.+)@(.+)` \| (yes|no) \|/gm)];
    const named = entries
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    expect(listed.map(([, name, version]) => `${name}@${version}`)).toEqual(named.sort());
    const { allowScripts } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
    expect(allowScripts).toEqual(Object.fromEntries(listed.map(([, name, , runs]) => [name, runs === 'yes'])));
  });

  it('has the exact version of every package that the project names', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (packages[`node_modules/${name}`].link) continue;
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`].version, name).toBe(version);
    }
  });
});
