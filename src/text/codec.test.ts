// Tests loading tokenizers: their end tokens, refusals, and that third-party ones decode an encoded text to the original.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { trainTokenizer } from './bpe-train.ts';
import { loadCodec } from './codec.ts';

const files = () => trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);

describe('loadCodec', () => {
  it('lists the config’s end token first, and each end token once', async () => {
    const { tokenizer, config } = files();
    const text = (codec: Awaited<ReturnType<typeof loadCodec>>) => codec.endTokens.map((id) => codec.decode([id]));
    expect(text(await loadCodec(tokenizer, config))).toEqual(['<|im_end|>', '<|endoftext|>']);
    expect(text(await loadCodec(tokenizer, { ...config, eos_token: { content: '<|endoftext|>' } }))).toEqual([
      '<|endoftext|>',
      '<|im_end|>',
    ]);
    const unpadded = await loadCodec(tokenizer, { ...config, pad_token: null });
    expect(unpadded.padToken).toBe(unpadded.endTokens[0]);
  });

  it('refuses JSON that is no tokenizer', async () => {
    await expect(loadCodec({}, {})).rejects.toThrow(FormatError);
  });

  it.each([0.5, -1, '7', null, 4e9, 1e300])('refuses %j as the id of a token, and names the token', async (id) => {
    const { tokenizer, config } = files();
    const { model } = tokenizer as { model: { vocab: Record<string, unknown> } };
    const json = { ...tokenizer, model: { ...model, vocab: { ...model.vocab, f: id } } };
    await expect(loadCodec(json, config)).rejects.toThrow(FormatError);
    await expect(loadCodec(json, config)).rejects.toThrow(/the id of "f" is .*, not a whole number below 4194304/);
  });
});

const shared = ['minimind2-small', 'stories260K'].map((name) => ({ name, folder: `../shared/models/${name}/` }));
describe.each(shared)('$name, a third-party tokenizer', ({ folder }) => {
  it.skipIf(!existsSync(`${folder}tokenizer.json`))(
    'loads, and decodes an encoded text to the original (skipped where ../shared is missing)',
    async () => {
      const [json, config] = ['tokenizer.json', 'tokenizer_config.json'].map((f) =>
        JSON.parse(readFileSync(folder + f, 'utf8')),
      );
      const codec = await loadCodec(json, config);
      expect(codec.endTokens.length).toBeGreaterThan(0);
      const text = 'Once upon a time';
      expect(codec.decode(codec.encode(text)).trim()).toBe(text);
    },
  );
});
