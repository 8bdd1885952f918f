// The embedded model's tokenizer as it is committed, which is what its corpus gives, byte for byte (tokenizer.test.ts holds it to it):
// learning it takes two seconds, and most tests of runs want it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TokenizerFiles } from '../../../text/bpe-train.ts';
import type { TokenizerTexts } from '../../pretraining.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../public/models/tiny-coder/${name}`, import.meta.url)), 'utf8');

/** Texts that `tokenizerFileTexts` gives. */
export const committedTexts = (): TokenizerTexts => ({
  'tokenizer.json': read('tokenizer.json'),
  'tokenizer_config.json': read('tokenizer_config.json'),
});

/** The same, read. */
export function committedTokenizer(): TokenizerFiles {
  const texts = committedTexts();
  return { tokenizer: JSON.parse(texts['tokenizer.json']), config: JSON.parse(texts['tokenizer_config.json']) };
}
