// The form of the lab's own tokenizers: all of a tokenizer.json but its tokens and merges. The lab writes it (bpe-train.ts); a file in it is
// opened without what other forms need, which is large (foreign.ts).
import { isObject, type Json } from './json.ts';

/** Qwen's pre-tokenizer without its English contractions, which would tear `'db'` apart in code. */
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

/** Whether a tokenizer.json has that form, whatever its tokens are. */
export function isOwnForm(tokenizerJson: object): boolean {
  const json = tokenizerJson as Json;
  if (!isObject(json.model)) return false;
  const { vocab: _, merges: __, ...model } = json.model;
  const parts: Json = { ...json, model };
  return Object.entries(FORM).every(([part, wanted]) => equal(parts[part], wanted));
}

/** Looks no deeper than `wanted` goes. */
function equal(found: unknown, wanted: unknown): boolean {
  if (!isObject(wanted) || !isObject(found)) return found === wanted;
  const keys = Object.keys(wanted);
  return (
    Array.isArray(found) === Array.isArray(wanted) &&
    Object.keys(found).length === keys.length &&
    keys.every((key) => Object.hasOwn(found, key) && equal(found[key], (wanted as Json)[key]))
  );
}
