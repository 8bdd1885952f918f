// The spelling of all prose that a person reads, by cspell with British words and the field's own (docs/words.txt). What checks it is
// installed with what builds the docs.
import { spawnSync } from 'node:child_process';
import { ensureDocsTools } from './docs-tools.mjs';
import { at } from './project.mjs';

const CSPELL = at('docs', 'node_modules', 'cspell', 'bin.mjs');

/** Unknown words with file and line, or an empty text. */
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

/** Throws with the words that are unknown. */
export function checkSpelling() {
  const words = unknownWords();
  if (words !== '')
    throw new Error(`Unknown words; mend them, or add a term of the field to docs/words.txt:\n${words}`);
}
