import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkKeys, checkTreeKeys, recordMembers } from './keys.mjs';

const lines = (source, members) => checkKeys('src/lab/x.ts', source, members).map((text) => Number(text.split(':')[1]));

describe('keys from outside', () => {
  it('are refused as properties of everything that is declared as a record', () => {
    expect(lines('const a: Record<string, number> = {};\na[key] = 1;')).toEqual([2]);
    expect(lines('const a = {};\na[path[path.length - 1]] ??= 1;')).toEqual([2]);
    expect(lines('function f(a: Readonly<Record<string, unknown>>) {\n a[key] += 1;\n}')).toEqual([2]);
    expect(lines('let at: { [key: string]: Json } = x;\nat[a + b] = 1;')).toEqual([2]);
    expect(lines('const a: Record<string, X> = {};\nlet at = a;\nat[name] = b;')).toEqual([3]);
    expect(lines('at = at[name] as Record<string, unknown>;\nat[name] = 1;')).toEqual([2]);
  });

  it('are refused as members of records that another file declares', () => {
    const members = recordMembers(['interface State {\n  /** By id. */\n  shadows: Record<string, Float32Array>;\n}']);
    expect([...members]).toEqual(['shadows']);
    expect(lines('state.shadows[id] = x;', members)).toEqual([1]);
    expect(lines('shadows[id] = x;', members)).toEqual([]);
  });

  it('may index lists and typed arrays, name constants, and go through setOwn', () => {
    for (const source of [
      'const a: Record<string, number> = {};\nsetOwn(a, key, 1);',
      'const a: Record<string, number> = {};\na.b = 1;\na["b"] = 1;\na[0] = 1;\nif (a[key] === 1) f(a[key]);',
      'const a: Record<string, number> = {};\na[LAST] = 1;',
      'const a: number[] = [];\na[i] = 1;\nb[i * r + j] += 2;',
      'const a: Partial<Record<Mode, number>> = {};\na[mode] = 1;',
      'const a: Record<string, number> = {};\n// a[key] = 1;\n/* a[key] = 1; */',
    ])
      expect(lines(source), source).toEqual([]);
  });

  it('come from JSON that is parsed in one module only', () => {
    expect(lines('\nconst a = JSON.parse(text);')).toEqual([2]);
    expect(checkKeys('packages/base/src/json.ts', 'return JSON.parse(text);')).toEqual([]);
    expect(lines('JSON.stringify(a);')).toEqual([]);
  });

  it('are guarded in the whole tree', () => {
    expect(checkTreeKeys(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([]);
  });
});
