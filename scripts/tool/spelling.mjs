// Checks the spelling of all prose with cspell, by British English and the field's terms (docs/words.txt). cspell is installed with the docs'
// other tools.
import { spawnSync } from 'node:child_process';
import { ensureDocsTools } from './docs-tools.mjs';
import { at } from './project.mjs';

const CSPELL = at('docs', 'node_modules', 'cspell', 'bin.mjs');

/** Returns the unknown words with file and line; an empty text if there are none. */
export function unknownWords(tool = CSPELL) {
  ensureDocsTools();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tool, 'lint', '--no-progress', '--no-summary', '--config', at('docs', 'cspell.json')],
    { cwd: at(), encoding: 'utf8' },
  );
  if (status !== 0 && stdout === '') throw new Error(`cspell ended with ${status}: ${stderr}`);
  return stdout;
}

/** Throws an error that lists the unknown words. */
export function checkSpelling() {
  const words = unknownWords();
  if (words !== '')
    throw new Error(`Unknown words; mend them, or add a term of the field to docs/words.txt:\n${words}`);
}
