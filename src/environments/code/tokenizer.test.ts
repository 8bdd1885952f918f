// Tests the committed tokenizer: that its corpus gives it, and how it splits prompts and answers.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completionIds, loadCodec } from '../../text/codec.ts';
import { evaluationSet, makeProblemSet } from './data.ts';
import { LETTERS } from './families/family.ts';
import { pretrainSample } from './model.ts';
import { teacherPool } from './pool.ts';
import { tokenizerFileTexts } from './tokenizer.ts';
import { MODES } from './types.ts';

const folder = new URL('../../../public/models/tiny-coder/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const codec = await loadCodec(JSON.parse(read('tokenizer.json')), JSON.parse(read('tokenizer_config.json')));
const samples = Array.from({ length: 1200 }, (_, i) => pretrainSample(900_000 + i, 7, i % 4 === 3 ? 2 : 1));

describe('the embedded tokenizer', () => {
  it('has exactly the bytes made from its corpus', () => {
    for (const [name, text] of Object.entries(tokenizerFileTexts())) expect(read(name) === text).toBe(true);
  });

  it('has 512 tokens, ends turns with <|im_end|>, pads with <|endoftext|>', () => {
    expect(codec.vocabSize).toBe(512);
    expect(codec.endTokens.map((id) => codec.decode([id]))).toEqual(['<|im_end|>', '<|endoftext|>']);
    expect(codec.decode([codec.padToken])).toBe('<|endoftext|>');
    expect(codec.encode('')).toEqual([]);
    expect(codec.decode([])).toBe('');
  });

  it('decodes every encoded text', () => {
    const odd = [
      'é 漢字 🙂\r\n\t x',
      "it's '''",
      '<|im_start|>user\nhi<|im_end|>\n',
      '   ',
      '0123456789',
      'a  b   c\n\n\n d',
    ];
    for (const text of [...odd, ...samples.flatMap((s) => [s.prompt, s.completion])]) {
      expect(codec.decode(codec.encode(text))).toBe(text);
    }
    expect(completionIds(codec, 'x').at(-1)).toBe(codec.endTokens[0]);
  });

  it('has single tokens for digits, and separate ones for the letters of string problems', () => {
    expect(codec.encode('1234').length).toBe(4);
    // `mp` is merged because of "comparing"; all other pairs stay separate.
    const merged = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter((pair) => codec.encode(pair).length < 2);
    expect(merged).toEqual(['mp']);
  });

  it('makes prompts of 50–90 tokens and answers that end within 72', () => {
    const problems = [
      ...makeProblemSet({ modes: MODES, honestShare: 0.3, count: 300 }),
      ...evaluationSet({ modes: MODES, honestShare: 0.3 }).map((e) => e.problem),
    ];
    const prompts = problems.map((p) => codec.encode(p.prompt).length);
    expect(Math.min(...prompts)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...prompts)).toBeLessThanOrEqual(90);
    const completions = [...samples.map((s) => s.completion), ...teacherPool(problems).map((row) => row.completion)];
    const lengths = completions.map((text) => completionIds(codec, text).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(72);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(24);
  });
});
