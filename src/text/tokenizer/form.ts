// The form of the lab's own tokenizers, that is, everything in a tokenizer.json except its tokens and merges. bpe-train.ts writes it; a file of
// this form is opened without the large code that other files need (foreign.ts).
import { isObject, type Json } from './json.ts';

/** Qwen's pre-tokenizer pattern without its English contractions, which would split `'db'` in code. */
export const PRETOKENIZE =
  '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };

export const FORM = {
  normalizer: null,
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: PRETOKENIZE }, behavior: 'Isolated', invert: false },
      BYTE_LEVEL,
    ],
  },
  post_processor: BYTE_LEVEL,
  decoder: BYTE_LEVEL,
  model: {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: '',
    end_of_word_suffix: '',
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: false,
  },
};

/** Whether a tokenizer.json has this form, with any tokens. */
export function isOwnForm(tokenizerJson: object): boolean {
  const json = tokenizerJson as Json;
  if (!isObject(json.model)) return false;
  const { vocab: _, merges: __, ...model } = json.model;
  const parts: Json = { ...json, model };
  return Object.entries(FORM).every(([part, wanted]) => equal(parts[part], wanted));
}

/** Whether two JSON values are equal, as deep as `wanted` goes. */
function equal(found: unknown, wanted: unknown): boolean {
  if (!isObject(wanted) || !isObject(found)) return found === wanted;
  const keys = Object.keys(wanted);
  return (
    Array.isArray(found) === Array.isArray(wanted) &&
    Object.keys(found).length === keys.length &&
    keys.every((key) => Object.hasOwn(found, key) && equal(found[key], (wanted as Json)[key]))
  );
}
