// Tests that the tokenizers of all embedded models have the lab's own form, and that the fast path for this form gives the same ids and texts as
// the general one.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { trainTokenizer } from '../bpe-train.ts';
import { addedTokensOf } from './added.ts';
import type { BpeJson } from './bpe.ts';
import { foreignParts } from './foreign.ts';
import { isOwnForm } from './form.ts';
import type { Json } from './json.ts';
import { openTokenizer, ownParts } from './tokenizer.ts';

const MODELS = 'public/models/';
const read = (path: string): Json => JSON.parse(readFileSync(path, 'utf8'));
const TEXTS: readonly string[] = [
  ...(read(new URL('testing/rust.json', import.meta.url).pathname).texts as string[]),
  'def f(x):\n\treturn  x\r\n\r\n  12345\u0085a\ufeff b\u00a0\u3000c\u2028d  ',
  '👍🏽 e\u0301 ß straße \ud7ff',
];
const { tokenizer: own } = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);

it.each(readdirSync(MODELS))(
  '%s has the lab’s form, and gets the same tokens from the fast and the general path',
  async (model) => {
    const [json, config] = ['tokenizer.json', 'tokenizer_config.json'].map((file) => read(`${MODELS}${model}/${file}`));
    expect(isOwnForm(json)).toBe(true);
    const added = addedTokensOf(json, config);
    const [near, far] = [ownParts(json.model as unknown as BpeJson, added), foreignParts(json, config, added)];
    const all = [...near.model.ids.keys()];
    expect(near.decode(all)).toBe(far.decode(all));
    for (const text of TEXTS) {
      const piece = { text, isFirst: true };
      const pieces = near.split!(piece);
      expect(pieces, JSON.stringify(text)).toEqual(far.split!(piece));
      const tokens = pieces.flatMap((one) => near.model.words(one.text));
      for (const special of [true, false]) expect(near.frame(tokens, special)).toEqual(far.frame(tokens, special));
      const tokenizer = await openTokenizer(json, config);
      expect(tokenizer.decode(tokenizer.encode(text, { add_special_tokens: true }).ids)).toBe(text);
    }
  },
);

it.each<[string, Json]>([
  ['a normalizer', { ...own, normalizer: { type: 'NFC' } }],
  ['no post-processor', { ...own, post_processor: null }],
  ['an additional field in its decoder', { ...own, decoder: { ...(own.decoder as Json), more: 1 } }],
  ['missing fields in its decoder', { ...own, decoder: { type: 'ByteLevel' } }],
  [
    'another pre-tokenizer',
    { ...own, pre_tokenizer: (own.pre_tokenizer as { pretokenizers: unknown[] }).pretokenizers[0] },
  ],
  ['steps that are not an array', { ...own, pre_tokenizer: { type: 'Sequence', pretokenizers: { 0: {}, 1: {} } } }],
  ['an unknown token', { ...own, model: { ...(own.model as Json), unk_token: 'a' } }],
  ['no model', { ...own, model: null }],
])('a file with %s does not have the lab’s form', (_, json) => {
  expect(isOwnForm(own)).toBe(true);
  expect(isOwnForm(json)).toBe(false);
});
