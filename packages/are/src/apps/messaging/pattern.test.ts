// Tests search patterns of agents and scenarios: Python's syntax on a linear-time engine, which names what it does not support.
import { describe, expect, it } from 'vitest';
import { pythonPattern } from './pattern.ts';

describe('a pattern of Python', () => {
  // Results of `bool(re.search(pattern, text, re.IGNORECASE))` in CPython 3.
  it.each([
    ['\\d+ apples\\Z', '12 Apples', true],
    ['^(?P<a>no)th', 'nothing', true],
    ['\\d', '٣', true],
    ['^\\w+$', 'Zoë', true],
    ['^[^\\W\\d_]+$', 'Zoë', true],
    ['^[^\\W\\d_]+$', 'Zoë1', false],
    ['[\\S]', ' \t', false],
    ['\\s', '\u00a0', true],
    ['(?a)\\w', 'é', false],
    ['(?a)^[\\W]$', 'é', true],
    ['end$', 'the end\n', true],
    ['end\\Z', 'the end\n', false],
    ['^b$', 'a\nb\nc', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\rb', true],
    ['(?x) a \\  b # three', 'A b', true],
    ['(?i:x)(?#no)y', 'XY', true],
    ['^a{,2}$', 'aaa', false],
    ['^a{,2}$', 'aa', true],
    ['{a}', '{a}', true],
    ['x{,}', 'x{,}', true],
    ['[]x]', ']', true],
    ['[[:alpha:]]', ':]', true],
    ['[[:alpha:]]', 'z', false],
    ['[\\b]', '\b', true],
    ['\\bmeet\\b', 'we meet.', true],
    ['\\x41\\u00e9\\012', 'aÉ\n', true],
    ['a+?b', 'AAB', true],
    ['\\.\\-\\@', '.-@', true],
    ['^.$', '😀', true],
    ['straße|k', 'K', true],
    ['()', '', true],
  ])('%s in %j: %s', (pattern, text, found) => {
    expect(pythonPattern(pattern).test(text)).toBe(found);
  });

  it.each([
    ['(?=a)', 'lookahead (?= at position 0'],
    ['a(?!b)', 'lookahead (?! at position 1'],
    ['(?<=a)b', 'lookbehind (?<= at position 0'],
    ['(?<!a)b', 'lookbehind (?<! at position 0'],
    ['(a)\\1', 'backreference \\1 at position 3'],
    ['(?P<a>x)(?P=a)', 'backreference (?P= at position 8'],
    ['(?>a)', 'atomic group (?> at position 0'],
    ['(a)?(?(1)b|c)', 'conditional (?( at position 4'],
    ['a++', 'possessive repeat at position 2'],
  ])('%s is refused by name', (pattern, name) => {
    expect(() => pythonPattern(pattern)).toThrow(
      `${name} is not supported: patterns run on a linear-time engine (RE2)`,
    );
  });

  it.each([
    ['(', /missing closing/],
    ['a**', /multiple repeat/],
    ['\\q', /bad escape \\q/],
    ['\\p{L}', /bad escape \\p/],
    ['[a', /unterminated character set/],
    ['a{3,2}', /min repeat greater/],
    ['a(?i)', /global flags not at the start/],
    ['(?<n>a)', /unknown extension \?</],
    ['\\', /end of pattern/],
    ['a{1001}', /more than 1000/],
    ['((a{100}){100}){100}', /invalid repeat count/],
    ['('.repeat(999), /nests too deeply|missing closing/],
    ['a'.repeat(1001), /has 1001 characters, 1000 are allowed/],
  ])('%s is an error of Python’s', (pattern, text) => {
    expect(() => pythonPattern(pattern)).toThrow(
      expect.objectContaining({ name: 'error', message: expect.stringMatching(text) }),
    );
  });

  it('ends where JavaScript’s own engine does not: its work is linear and limited', () => {
    const evil = ['(a+)+$', '(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'];
    for (const pattern of evil)
      expect(pythonPattern(pattern).test(`${'a'.repeat(50_000)}!`)).toBe(pattern[0] === '^' && false);
    const large = pythonPattern('(?:a?){500}a{500}');
    expect(() => Array.from({ length: 100 }, () => large.test('b'.repeat(2_000)))).toThrow(
      /too large for the \d+ characters/,
    );
  });
});
