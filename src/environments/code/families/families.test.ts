// Tests the tables of families, and every expression against its reference in real Python.
import { loadMicroPython } from '@micropython/micropython-webassembly-pyscript/micropython.mjs';
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { pyLiteral } from '../values.ts';
import { FAMILIES, familiesOf, familyById, identityOf, SIGNATURES } from './index.ts';

describe('the tables of families', () => {
  it('have about 60 families over four signatures, each with a dozen parameters or more, few boolean', () => {
    expect(FAMILIES.length).toBeGreaterThanOrEqual(58);
    expect(FAMILIES.length).toBeLessThanOrEqual(64);
    for (const signature of SIGNATURES) expect(familiesOf(signature).length).toBeGreaterThanOrEqual(14);
    for (const family of FAMILIES) expect([family.id, family.space.length >= 12]).toEqual([family.id, true]);
    const boolean = FAMILIES.filter((family) => {
      const params = family.space[0];
      const args = family.inputs(params, CounterRng.of(1, STREAMS.test), 'small');
      return typeof family.value(params, args) === 'boolean';
    });
    expect(boolean.length).toBeLessThanOrEqual(4);
  });

  it('name and describe every problem once', () => {
    const identities = FAMILIES.flatMap((f) => f.space.map((p) => identityOf(f, p)));
    expect(new Set(identities).size).toBe(identities.length);
    const descriptions = FAMILIES.flatMap((f) => f.space.map((p) => f.describe(p)));
    expect(new Set(descriptions).size).toBe(descriptions.length);
    expect(new Set(FAMILIES.map((f) => f.id)).size).toBe(FAMILIES.length);
    // The description contains the parameters' values.
    for (const f of FAMILIES) for (const p of f.space) for (const v of p) expect(f.describe(p)).toContain(String(v));
    expect(() => familyById('nonsense')).toThrow(/nonsense/);
  });

  it('agree with the reference in MicroPython, for every parameter', async () => {
    const printed: string[] = [];
    const python = await loadMicroPython({ stdout: (line: string) => printed.push(line), linebuffer: true });
    python.runPython('import json');
    const expected: string[] = [];
    FAMILIES.forEach((family, i) => {
      const lines = family.space.flatMap((params, j) => {
        const rng = CounterRng.of(11, STREAMS.test, i, j);
        return (['small', 'wide', 'wide'] as const).map((size) => {
          const args = family.inputs(params, rng, size);
          const value = family.value(params, args);
          expected.push(`${identityOf(family, params)} ${pyLiteral(args)} ${pyLiteral(value)}`);
          return (
            `print('${identityOf(family, params).replaceAll("'", '')}', ${JSON.stringify(pyLiteral(args))}, ` +
            `repr((lambda ${family.signature}: ${family.python(params)})(*${pyLiteral(args)})).replace(', ', ','))`
          );
        });
      });
      python.runPython(lines.join('\n'));
    });
    expect(printed.length).toBe(expected.length);
    expect(printed.length).toBeGreaterThan(2000);
    expect(printed).toEqual(expected);
  });
});
