// The command line as another checkout would have it: the same bundle, whose code has another hash. For tests and campaigns.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeHash } from './code-hash.mjs';
import { CACHE } from './project.mjs';

export const OTHER_CODE = 'f'.repeat(16);

/** Path of it, and of its folder, which whoever asks deletes. */
export async function bundleOfOtherCode(bundle) {
  const own = await codeHash();
  // Below node_modules, where packages are found.
  const folder = join(CACHE, `other-code-${process.pid}`);
  cpSync(dirname(bundle), folder, { recursive: true });
  const scripts = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  const named = scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes(own));
  if (named.length === 0) throw new Error(`${bundle} does not hold the hash ${own} of its code.`);
  for (const name of named)
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replaceAll(own, OTHER_CODE));
  return { bundle: join(folder, 'main.js'), folder };
}
