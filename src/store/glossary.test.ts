import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOSSARY } from './glossary.ts';
import { SETTING_CONCEPTS } from './glossary-settings.ts';
import { METRICS } from './metrics.ts';
import { SETTING_GLOSSARY } from './setting-glossary.ts';

const entries = Object.entries(GLOSSARY);

describe('GLOSSARY', () => {
  it.each(METRICS.map((metric) => metric.id))('has an entry for %s', (id) => {
    expect(GLOSSARY[id]).toBeDefined();
  });

  it('has an entry for every number that a step logs', () => {
    // Read from the record's own declaration, so that a new field without an entry is noticed here.
    const source = readFileSync(new URL('../experiments/events.ts', import.meta.url), 'utf8');
    const body = /interface StepRow \{([\s\S]*?)\n\}/.exec(source)?.[1] ?? '';
    const fields = [...body.matchAll(/^ {2}(\w+)\??: (?:number|Record)/gm)].map(([, name]) => name);
    expect(fields).toContain('cinStudent');
    const missing = fields.filter((name) => name !== 'step' && !(name in GLOSSARY));
    expect(missing).toEqual([]);
  });

  it.each(entries)('says everything about %s', (_id, entry) => {
    for (const text of Object.values(entry)) expect(text.trim().length).toBeGreaterThan(2);
    expect(entry.meaning).toMatch(/\.$/);
    expect(entry.notShown).toMatch(/\.$/);
  });

  it('has no title twice', () => {
    const titles = entries.map(([, entry]) => entry.title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('warns that cout ≈ 0 is an identity and says why the loss is 0', () => {
    expect(GLOSSARY.cout.notShown).toMatch(/identity/);
    expect(GLOSSARY.coutUpdate.notShown).toMatch(/identity/);
    expect(GLOSSARY.loss.nullValue).toMatch(/sum to 0/);
  });

  it('gives the overlaps the null of the method', () => {
    const method = readFileSync(new URL('../../docs/method.md', import.meta.url), 'utf8');
    const formula = '2^−k Σ_j C(k,j) χ_j/χ_r';
    expect(method).toContain(formula);
    for (const id of ['cinStudent', 'cinTeacher', 'cin', 'cinNull'] as const) {
      expect(GLOSSARY[id].nullValue + GLOSSARY[id].formula).toContain(formula);
    }
  });

  it('leads to every concept of a setting from some field; arms and seeds have fields of their own', () => {
    const reached = new Set<string>([...Object.values(SETTING_GLOSSARY), 'arms', 'seeds']);
    expect(Object.keys(SETTING_CONCEPTS).filter((concept) => !reached.has(concept))).toEqual([]);
  });
});
