import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../environments/metric-info.ts';
import { SETTING_NAMES } from '../../experiments/config/settings.ts';
import { ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { stepRow } from '../../experiments/records/rows-schema.ts';
import { SPINE_METRICS } from '../charts/metrics.ts';
import { GLOSSARY } from './glossary.ts';
import { glossaryOf } from './of-setting.ts';
import { SETTING_CONCEPTS } from './settings.ts';

const entries = Object.entries(GLOSSARY);

describe('GLOSSARY', () => {
  it.each(SPINE_METRICS.map((metric) => metric.id))('has an entry for %s', (id) => {
    expect(Object.hasOwn(GLOSSARY, id)).toBe(true);
  });

  const ofEnvironments = ENVIRONMENTS.flatMap(({ id, metrics }) =>
    metrics.map((info) => [id, info.id, wordsOf(info)] as const),
  );
  it.each(ofEnvironments)('is complete for %s: %s', (_environment, _id, entry) => {
    for (const text of Object.values(entry)) expect(text.trim().length).toBeGreaterThan(2);
    expect(entry.meaning).toMatch(/\.$/);
    expect(entry.notShown).toMatch(/\.$/);
  });

  it('has an entry for every number that a step logs', () => {
    // The fields are those of the record's schema, so that a new field without an entry is detected. Figures, documents and episodes are
    // not numbers.
    const parts = ['step', 'student', 'teacher', 'objective', 'documents', 'episodes'];
    const fields = Object.keys(stepRow.shape).filter((name) => !parts.includes(name));
    expect(fields).toContain('cinStudent');
    const missing = fields.filter((name) => !(name in GLOSSARY));
    expect(missing).toEqual([]);
  });

  it.each(entries)('is complete for %s', (_id, entry) => {
    for (const text of Object.values(entry)) expect(text.trim().length).toBeGreaterThan(2);
    expect(entry.meaning).toMatch(/\.$/);
    expect(entry.notShown).toMatch(/\.$/);
  });

  it('has no duplicate titles', () => {
    const titles = entries.map(([, entry]) => entry.title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('warns that cout ≈ 0 is an identity, and explains why the loss is 0', () => {
    expect(GLOSSARY.cout.notShown).toMatch(/identity/);
    expect(GLOSSARY.coutUpdate.notShown).toMatch(/identity/);
    expect(GLOSSARY.loss.nullValue).toMatch(/sum to 0/);
  });

  it('gives the overlaps the null level of the method', () => {
    const method = readFileSync(new URL('../../../docs/explanation/method.md', import.meta.url), 'utf8');
    const formula = '2^−k Σ_j C(k,j) χ_j/χ_r';
    expect(method).toContain(formula);
    for (const id of ['cinStudent', 'cinTeacher', 'cin', 'cinNull'] as const) {
      expect(GLOSSARY[id].nullValue + GLOSSARY[id].formula).toContain(formula);
    }
  });

  it('has a link to every concept of a setting from some field (arms and seeds have their own fields)', () => {
    const reached = new Set<string>([...SETTING_NAMES.map(glossaryOf), 'arms', 'seeds']);
    expect(Object.keys(SETTING_CONCEPTS).filter((concept) => !reached.has(concept))).toEqual([]);
  });
});
