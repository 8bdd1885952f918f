// Makes the command line of another checkout, for tests and campaigns: a copy of the bundle with another hash of its code.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeHash } from './code-hash.mjs';
import { CACHE } from './project.mjs';

export const OTHER_CODE = 'f'.repeat(16);

/** Returns the paths of the copy and of its folder, which the caller deletes. */
export async function bundleOfOtherCode(bundle) {
  const own = await codeHash();
  // The cache is below node_modules, so that the copy finds its packages.
  const folder = join(CACHE, `other-code-${process.pid}`);
  cpSync(dirname(bundle), folder, { recursive: true });
  const scripts = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  const named = scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes(own));
  if (named.length === 0) throw new Error(`${bundle} does not hold the hash ${own} of its code.`);
  for (const name of named)
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replaceAll(own, OTHER_CODE));
  return { bundle: join(folder, 'main.js'), folder };
}
