// Trains a byte-level BPE tokenizer that cuts texts as Qwen's does (each digit alone, a word with the space or mark before it) and has
// the special tokens of the chat markup, and writes it as Hugging Face files, so that any tokenizer library reads it. The result is
// deterministic: of equally frequent pairs, the one with the smaller ids is merged first.
import { CHATML_TEMPLATE, END_OF_TURN, START_OF_TURN } from './chatml.ts';
import { FORM, PRETOKENIZE } from './tokenizer/form.ts';

export const SPECIAL_TOKENS = ['<|endoftext|>', START_OF_TURN, END_OF_TURN] as const;

export interface TokenizerFiles {
  /** Contents of tokenizer.json. */
  tokenizer: Record<string, unknown>;
  /** Contents of tokenizer_config.json. */
  config: Record<string, unknown>;
}

/** GPT-2's printable stand-ins for the 256 bytes. */
export function byteAlphabet(): string[] {
  const printable = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(printable(b) ? b : next++));
}

/** Learns up to `merges` merges and returns them in order, as pairs of token ids; ids 0–255 are the bytes, 256 + i is the i-th merge. */
export function learnMerges(corpus: Iterable<string>, merges: number): [number, number][] {
  const pattern = new RegExp(PRETOKENIZE, 'gu');
  const special = new RegExp(SPECIAL_TOKENS.map((t) => t.replaceAll('|', '\\|')).join('|'));
  const counts = new Map<string, number>();
  for (const text of corpus) {
    for (const part of text.split(special)) {
      for (const word of part.match(pattern) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const bytes = new TextEncoder();
  const words = [...counts].map(([word, count]) => ({ ids: [...bytes.encode(word)], count }));
  const learnt: [number, number][] = [];
  while (learnt.length < merges) {
    const pairs = new Map<number, number>();
    for (const { ids, count } of words) {
      for (let i = 0; i + 1 < ids.length; i++) {
        const key = ids[i] * 65536 + ids[i + 1];
        pairs.set(key, (pairs.get(key) ?? 0) + count);
      }
    }
    let best = -1;
    let bestCount = 1;
    for (const [key, count] of pairs) {
      if (count > bestCount || (count === bestCount && best >= 0 && key < best)) {
        best = key;
        bestCount = count;
      }
    }
    if (best < 0) break;
    const pair: [number, number] = [Math.floor(best / 65536), best % 65536];
    const id = 256 + learnt.length;
    for (const word of words) word.ids = mergePair(word.ids, pair, id);
    learnt.push(pair);
  }
  return learnt;
}

function mergePair(ids: number[], [left, right]: readonly [number, number], id: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] === left && ids[i + 1] === right) {
      out.push(id);
      i++;
    } else out.push(ids[i]);
  }
  return out;
}

/** Learns a tokenizer of exactly `vocabSize` tokens (bytes, merges, then the special tokens) from the corpus. */
export function trainTokenizer(corpus: Iterable<string>, vocabSize = 512): TokenizerFiles {
  const wanted = vocabSize - 256 - SPECIAL_TOKENS.length;
  const merges = learnMerges(corpus, wanted);
  if (merges.length < wanted) {
    throw new RangeError(
      `the corpus gave ${merges.length} merges of ${wanted}; give more text or a smaller vocabulary`,
    );
  }
  const tokens = byteAlphabet();
  const named = merges.map(([a, b]): [string, string] => {
    const pair: [string, string] = [tokens[a], tokens[b]];
    tokens.push(pair[0] + pair[1]);
    return pair;
  });
  const added = SPECIAL_TOKENS.map((content, i) => ({
    id: tokens.length + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: added,
      ...FORM,
      model: { ...FORM.model, vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges: named },
    },
    config: {
      add_bos_token: false,
      add_prefix_space: false,
      added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [String(id), token])),
      additional_special_tokens: [START_OF_TURN, END_OF_TURN],
      bos_token: null,
      chat_template: CHATML_TEMPLATE,
      clean_up_tokenization_spaces: false,
      eos_token: END_OF_TURN,
      errors: 'replace',
      model_max_length: 256,
      pad_token: '<|endoftext|>',
      split_special_tokens: false,
      tokenizer_class: 'Qwen2Tokenizer',
      unk_token: null,
    },
  };
}

/** Both files as they are stored on disk. */
export function tokenizerTexts(
  corpus: Iterable<string>,
  vocabSize?: number,
): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const { tokenizer, config } = trainTokenizer(corpus, vocabSize);
  return {
    'tokenizer.json': `${JSON.stringify(tokenizer, null, 1)}\n`,
    'tokenizer_config.json': `${JSON.stringify(config, null, 1)}\n`,
  };
}
