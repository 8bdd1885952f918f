// Tests that the patterns of published tokenizers pass the check and end on adversarial texts, and that patterns which may take more than
// linear time are refused.
import { describe, expect, it } from 'vitest';
import { checkLinear, PatternProblem } from './linear-pattern.ts';

const UPPER = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const LOWER = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const BLANKS = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

/** Patterns of published tokenizer.json files. */
const PUBLISHED: Readonly<Record<string, string>> = {
  'GPT-2': "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  'Llama 3, GPT-4': `${SUFFIX}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`,
  'Qwen2, Qwen3': `${SUFFIX}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`,
  'GPT-4o, Phi-4': `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+${SUFFIX}?|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*${SUFFIX}?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${BLANKS}`,
  'Mistral Nemo': `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${BLANKS}`,
  'DeepSeek V3': `[!"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_\`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|${BLANKS}`,
  BLOOM: ' ?[^(\\s|[.,!?…。，、।۔،])]+',
  CLIP: "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
  Falcon: '[0-9][0-9][0-9]',
  'a normalizer of white space': ' {2,}|\\s+|\\r\\n?',
  'a single line break': '(?<!\\n)\\n(?!\\n)',
  'repeated groups that nothing follows which can fail': '(?:ab)+c?|(?:x+|y)*z*',
};
/** Texts that make patterns of these forms backtrack in JavaScript. */
const TRYING = [
  ' '.repeat(100_000),
  '\n'.repeat(50_000),
  `${' '.repeat(50_000)}x`,
  'A'.repeat(100_000),
  'ªA'.repeat(50_000),
  '中'.repeat(50_000),
];

describe('the pattern', () => {
  it.each(Object.entries(PUBLISHED))('of %s passes, and ends on adversarial texts', (name, pattern) => {
    expect(() => checkLinear(pattern)).not.toThrow();
    if (name === 'BLOOM') return; // JavaScript cannot compile it as it is; the library rewrites it.
    const compiled = new RegExp(pattern.replaceAll(`(?i:'s|`, `(?:'s|`), 'gu');
    for (const text of TRYING) expect(text.match(compiled)?.join('').length ?? 0).toBeLessThanOrEqual(text.length);
  });

  it.each([
    ['(a|a)*$', /\$ after \(a\|a\)\*/],
    ['(?:a?){30}a{30}$', /more than 500 ways at one place/],
    ['[\\s\\S]*[\\s\\S]*[\\s\\S]*[\\s\\S]*Q', /has Q after \[\\s\\S\]\*/],
    ['(a+)+$', /\$ after \(a\+\)\+/],
    ['(?:a+){2}', /repeats a repeat/],
    ['(?:a?)*', /repeats what may be empty/],
    ['(\\w+\\s?)+$', /\$ after/],
    ['[ \\t]+\\n', /\\n after \[ \\t\]\+/],
    ['\\s+$', /\$ after \\s\+/],
    ['a*b', /b after a\*/],
    ['\\s*[\\r\\n]+', /after \\s\*/],
    ['\\s*[\\r\\n]+| |\\s+', /after \\s\*/],
    ['\\s*[\\r\\n]+|\\s+?', /after \\s\*/],
    ['\\s*[\\r\\n]+x|\\s+', /x after|after \\s\*/],
    ['[ab]+(?!a)|[ab]+', /\(\?!a\) after/],
    ['x?a*b+|a+', /b\+ after a\*/],
    ['a?a?a?a?a?a?a?a?a?a?b', /ways at one place/],
    ['(?=a+b)c', /b after a\+/],
    ['(?=.*)c', /a repeat without end in a condition/],
    ['(a)\\1', /\\1 at 3, which is not judged/],
    ['a++b', /\+b at 2, which is not judged/],
    ['(?>a+)b', /which is not judged/],
    ['a{1,3}{2,}', /which is not judged/],
    ['\\X+', /which is not judged/],
    ['(a', /which is not judged/],
    ['[a', /which is not judged/],
    ['('.repeat(200), /more than 50 groups in groups/],
  ])('%s is refused, and the error names the offending part', (pattern, why) => {
    let problem: unknown;
    try {
      checkLinear(pattern);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(PatternProblem);
    expect((problem as Error).message).toMatch(why);
  });
});
