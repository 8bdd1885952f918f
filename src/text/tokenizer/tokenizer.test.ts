// Compares ids and decoded texts with those of Hugging Face's Rust library (testing/rust.json: 84 tokenizers on 16 texts), and tests that
// unsupported files are refused.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codec.ts';
import { withAddedTokensFile } from './added.ts';
import { openTokenizer } from './tokenizer.ts';

type Json = Record<string, unknown>;
const read = (path: string): Json => JSON.parse(readFileSync(path, 'utf8'));
const RUST = read(new URL('testing/rust.json', import.meta.url).pathname) as {
  letters: { vocab: string[]; merges: [string, string][] };
  texts: string[];
  cases: { name: string; base: string; change: Json; ids: number[][]; text?: (string | null)[] }[];
};
const CODER = 'public/models/tiny-coder/';
const coder = read(`${CODER}tokenizer.json`);
const coderConfig = read(`${CODER}tokenizer_config.json`);

const { vocab, merges } = RUST.letters;
const nothing = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };
const letters: Json = {
  ...nothing,
  model: { type: 'BPE', unk_token: '<unk>', vocab: Object.fromEntries(vocab.map((token, id) => [token, id])), merges },
};
const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** The tokenizer.json of a case. The byte tokens are added here, since they would be most of the stored file. */
function jsonOf({ base, change }: (typeof RUST.cases)[number]): Json {
  const from = base === 'letters' ? letters : coder;
  const model = { ...(from.model as Json), ...(change.model as Json) };
  if (model.vocab === 'with bytes')
    model.vocab = Object.fromEntries([...vocab, ...BYTES].map((token, id) => [token, id]));
  if (Array.isArray(model.vocab)) model.vocab = [...model.vocab, ...BYTES.map((token) => [token, 0])];
  return { ...from, ...change, model };
}

describe('a tokenizer.json', () => {
  it.each(RUST.cases)('with $name gives the ids and decoded texts of the Rust library', async (given) => {
    const tokenizer = await openTokenizer(jsonOf(given), {});
    for (const [i, text] of RUST.texts.entries()) {
      const { ids } = tokenizer.encode(text, { add_special_tokens: false });
      expect(ids, JSON.stringify(text)).toEqual(given.ids[i]);
      const back = given.text?.[i];
      if (typeof back === 'string') expect(tokenizer.decode(ids), JSON.stringify(text)).toBe(back);
    }
  });

  it('is read if the type of its model is missing, as in older files', async () => {
    const { type: _, ...model } = letters.model as Json;
    const ids = async (json: Json) =>
      (await openTokenizer(json, {})).encode('hello 12', { add_special_tokens: false }).ids;
    expect(await ids({ ...letters, model })).toEqual(await ids(letters));
  });

  it('uses add_prefix_space of tokenizer_config.json for a byte-level pre-tokenizer, as transformers does', async () => {
    const json = { ...coder, pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false } };
    const first = async (config: Json) =>
      (await openTokenizer(json, config)).encode('f', { add_special_tokens: false }).tokens[0];
    expect([await first({}), await first({ add_prefix_space: true })]).toEqual(['f', expect.stringContaining('Ġ')]);
  });

  it('decodes ids that it does not have to no text', async () => {
    const codec = await loadCodec(coder, coderConfig);
    expect(codec.decode([...codec.encode('f(x)'), 100_000])).toBe('f(x)');
  });

  const post = (ids: number[]) => ({
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '<unk>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    special_tokens: { '<unk>': { id: '<unk>', ids, tokens: ['<unk>'] } },
  });
  const model = (changes: Json) => ({ model: { ...(letters.model as Json), ...changes } });
  it.each<[string, Json, RegExp]>([
    ['an unknown normalizer', { normalizer: { type: 'Precompiled' } }, /the normalizer Precompiled is not supported/],
    ['BERT’s normalizer', { normalizer: { type: 'BertNormalizer' } }, /the normalizer BertNormalizer/],
    [
      'an unknown normalizer within a sequence',
      { normalizer: { type: 'Sequence', normalizers: [{ type: 'Nmt' }] } },
      /the normalizer Nmt is not supported/,
    ],
    ['an unknown pre-tokenizer', { pre_tokenizer: { type: 'UnicodeScripts' } }, /the pre-tokenizer UnicodeScripts/],
    [
      'an unknown behaviour',
      { pre_tokenizer: { type: 'Split', pattern: { String: '.' }, behavior: 'Halved' } },
      /the behaviour "Halved" of Split/,
    ],
    [
      'an unknown prepend scheme',
      { pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'last' } },
      /prepend_scheme "last"/,
    ],
    ['an unknown decoder', { decoder: { type: 'CTC' } }, /the decoder CTC is not supported/],
    ['random merges (dropout)', model({ dropout: 0.1 }), /a BPE model with dropout 0\.1/],
    ['a prefix within words', model({ continuing_subword_prefix: '##' }), /continuing_subword_prefix "##"/],
    [
      'an id in its post-processor that differs from the vocabulary',
      { post_processor: post([7]) },
      /writes "<unk>" as the ids \[7\].*has 0/,
    ],
    ['several ids for one token in its post-processor', { post_processor: post([0, 0]) }, /as the ids \[0,0\]/],
    [
      'a token with two ids',
      { added_tokens: [{ id: 9, content: 'hello', special: false }] },
      /tokenizer\.json: added_tokens gives "hello" the id 9; .* gives it 75/,
    ],
    [
      'a gap before an added token',
      { added_tokens: [{ id: 100, content: '<new>', special: false }] },
      /gives "<new>" the id 100; .* gives it 83/,
    ],
  ])('with %s is refused, and the error names it', async (_, change, says) => {
    const json = { ...letters, ...change };
    await expect(openTokenizer(json, {})).rejects.toThrow(FormatError);
    await expect(openTokenizer(json, {})).rejects.toThrow(says);
  });
});

describe('added tokens that tokenizer.json does not name', () => {
  const added = {
    content: '<|new|>',
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  };
  const named = { ...(coderConfig.added_tokens_decoder as Json), 512: added };
  const expected = '../shared/stranger/expected.json';

  it('are read from added_tokens_decoder, or from added_tokens.json if there is none', async ({ skip }) => {
    const inConfig = await loadCodec(coder, { ...coderConfig, added_tokens_decoder: named });
    const { added_tokens_decoder: _, ...older } = coderConfig;
    const beside = await loadCodec(coder, withAddedTokensFile(older, { '<|new|>': 512 }, coder) as object);
    for (const codec of [inConfig, beside]) {
      expect(codec.encode('a<|new|>b')).toEqual([97, 512, 98]);
      expect([codec.decode([97, 512, 98]), codec.vocabSize]).toEqual(['a<|new|>b', 513]);
    }
    if (!existsSync(expected)) skip('no ../shared/stranger');
    const { prompt, promptIds } = (read(expected) as { tokens: { prompt: string; promptIds: number[] } }).tokens;
    expect(inConfig.encode(prompt)).toEqual(promptIds);
  });

  it('take their flags from the config, as in transformers', async () => {
    const end = { ...added, content: '<|im_end|>', lstrip: true };
    const decoder = { ...(coderConfig.added_tokens_decoder as Json), 511: end };
    const [plain, stripped] = await Promise.all(
      [coderConfig, { ...coderConfig, added_tokens_decoder: decoder }].map(async (config) =>
        (await loadCodec(coder, config)).encode('a <|im_end|>'),
      ),
    );
    expect([plain, stripped]).toEqual([
      [97, 32, 511],
      [97, 511],
    ]);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'an id that is not the next one',
      () => loadCodec(coder, { ...coderConfig, added_tokens_decoder: { 600: added } }),
      /tokenizer_config\.json: added_tokens_decoder gives "<\|new\|>" the id "600"; .* gives it 512/,
    ],
    [
      'an id that differs from tokenizer.json',
      () => loadCodec(coder, { ...coderConfig, added_tokens_decoder: { 5: { ...added, content: '<|im_end|>' } } }),
      /gives "<\|im_end\|>" the id "5"; .* gives it 511/,
    ],
    [
      'no id at all',
      () => loadCodec(coder, { ...coderConfig, additional_special_tokens: ['<|im_end|>', '<|tool|>'] }),
      /additional_special_tokens names "<\|tool\|>", to which no file gives an id/,
    ],
    [
      'a name in added_tokens.json that added_tokens_decoder leaves out',
      async () => withAddedTokensFile(coderConfig, { '<|tool|>': 512 }, coder),
      /added_tokens\.json names "<\|tool\|>" \(512\), which neither/,
    ],
  ])('with %s are refused, and the error names the file', async (_, make, says) => {
    await expect(make()).rejects.toThrow(FormatError);
    await expect(make()).rejects.toThrow(says);
  });
});

const STORIES = '../shared/models/stories260K/';
describe.skipIf(!existsSync(STORIES))('a tokenizer with byte fallback (skipped without ../shared/models)', () => {
  it.each(['\ufeffOnce', 'a\ufeffb\ufeff', '\ufeff', '\ufeff\ufeff', 'x\u0000y', '👍🏽 \ud7ff'])(
    'decodes the encoding of %j to the same text',
    async (text) => {
      const codec = await loadCodec(read(`${STORIES}tokenizer.json`), read(`${STORIES}tokenizer_config.json`));
      expect(codec.decode(codec.encode(text))).toBe(text);
    },
  );

  it('decodes each invalid byte to one U+FFFD', async () => {
    const codec = await loadCodec(read(`${STORIES}tokenizer.json`), read(`${STORIES}tokenizer_config.json`));
    const bytes = codec.encode('\u{1f980}').slice(-4);
    expect(codec.decode([bytes[0]]).trim()).toBe('\ufffd');
    expect(codec.decode([bytes[1], bytes[0]]).trim()).toBe('\ufffd\ufffd');
  });
});
