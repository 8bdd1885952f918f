// The embedded model's committed tokenizer, which equals what its corpus gives byte for byte (checked by tokenizer.test.ts). Learning it takes two
// seconds, and most tests of runs need it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TokenizerFiles } from '../../../text/bpe-train.ts';
import type { TokenizerTexts } from '../../pretraining.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../public/models/tiny-coder/${name}`, import.meta.url)), 'utf8');

/** The output of `tokenizerFileTexts`. */
export const committedTexts = (): TokenizerTexts => ({
  'tokenizer.json': read('tokenizer.json'),
  'tokenizer_config.json': read('tokenizer_config.json'),
});

/** The same files, parsed. */
export function committedTokenizer(): TokenizerFiles {
  const texts = committedTexts();
  return { tokenizer: JSON.parse(texts['tokenizer.json']), config: JSON.parse(texts['tokenizer_config.json']) };
}
