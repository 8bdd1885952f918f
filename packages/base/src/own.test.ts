// Tests limits on outside data: own properties, depth, and lists that stop at the first error.
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { FormatError, isNamed, LabError } from './errors.ts';
import { MAX_JSON_DEPTH, parseJsonText } from './json.ts';
import { listOf, mapOf } from './lists.ts';
import { ownOf, setOwn } from './own.ts';

describe('a record', () => {
  it('accepts any key as its own, and inherits nothing from a prototype', () => {
    const record: Record<string, unknown> = {};
    for (const key of ['__proto__', 'constructor', 'a']) {
      expect(ownOf(record, key)).toBeUndefined();
      setOwn(record, key, 1);
      setOwn(record, key, 2);
      expect(ownOf(record, key)).toBe(2);
    }
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(JSON.stringify(record)).toBe('{"__proto__":2,"constructor":2,"a":2}');
  });
});

describe('JSON', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  it('is parsed as by JSON.parse, down to a depth', () => {
    for (const text of ['1', 'null', '"[[["', '{"a":[1,{"b":"\\\\\\"[{"}]}', '{"__proto__":1}', nested(MAX_JSON_DEPTH)])
      expect(JSON.stringify(parseJsonText(text))).toBe(JSON.stringify(JSON.parse(text)));
    // Brackets in texts, and many side by side, do not add depth.
    expect(parseJsonText(JSON.stringify([nested(99), '\\', nested(99)]))).toHaveLength(3);
    expect(parseJsonText(`[${Array(1000).fill('[[]]')}]`)).toHaveLength(1000);
    for (const text of [nested(MAX_JSON_DEPTH + 1), nested(50_000), '{"a":'.repeat(50_000)])
      expect(() => parseJsonText(text)).toThrow(/65 deep or deeper, 64 are allowed/);
    for (const text of ['', '{', '"', '[1,]', ']]]]', '"\\']) expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });

  it('with 500,000 quotes and backslashes is parsed', () => {
    expect(parseJsonText(JSON.stringify('\\"'.repeat(250_000)))).toHaveLength(500_000);
  });
});

describe('a list', () => {
  const numbers = listOf(z.int(), 400_000);
  it('reports only its first error, with its place, however many there are', () => {
    expect(numbers.parse([1, 2])).toEqual([1, 2]);
    // zod's own list makes an issue for each, and overflows the stack from some hundred thousand on.
    const bad = z.object({ a: numbers }).safeParse({ a: [1, ...Array(300_000).fill('')] });
    expect(bad.error?.issues).toHaveLength(1);
    expect(bad.error?.issues[0]?.path).toEqual(['a', 1]);
    expect(numbers.safeParse('abc').success).toBe(false);
    expect(listOf(z.int(), 2).safeParse([1, 2, 3]).error?.issues[0]?.message).toBe('3 elements, 2 are allowed');
    expect(listOf(z.object({ a: z.int() })).parse([{ a: 1, b: 2 }])).toEqual([{ a: 1 }]);
  });
});

describe('a map', () => {
  it('has only own properties', () => {
    const map = mapOf(z.string());
    const read = map.parse(JSON.parse('{"__proto__":"x","a":"y"}'));
    expect(Object.entries(read)).toEqual([
      ['__proto__', 'x'],
      ['a', 'y'],
    ]);
    expect(map.safeParse({ a: 1, b: 2 }).error?.issues.map(({ path }) => path)).toEqual([['a']]);
    for (const value of [[], null, 'x', 1]) expect(map.safeParse(value).success).toBe(false);
  });
});

describe('a named error', () => {
  it('is a LabError with a remedy, and its message is cut to a limited length', () => {
    expect(isNamed(new FormatError('a', 'b'))).toBe(true);
    expect(isNamed(new LabError('a', ''))).toBe(false);
    expect(isNamed(new TypeError('a'))).toBe(false);
    expect(new FormatError('x'.repeat(1e6), 'b').message.length).toBeLessThan(2000);
  });
});
