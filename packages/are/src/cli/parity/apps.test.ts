// Compares the apps with recordings of the reference (ARE, arXiv 2509.17158). Skipped where ../shared is missing.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { APP_CLASSES } from '../../apps/registry.ts';
import type { Value } from '../../value.ts';
import { compareAppCalls, compareCatalogue } from './apps.ts';

const DIR = '../../shared/are';
const isThere = existsSync(DIR);
const compared = (file: string, compare: typeof compareAppCalls, change: (text: string) => string = (text) => text) => {
  const text = change(readFileSync(`${DIR}/${file}`, 'utf8'));
  return compare({ text, json: JSON.parse(text) as Value }, { classes: APP_CLASSES, text: () => undefined });
};

describe.skipIf(!isThere)('the apps and the reference (skipped where ../shared is missing)', () => {
  it('declare the same tools: names, roles, parameters, types, defaults, reads and writes', () => {
    const cases = compared('tool_catalogue.json', compareCatalogue);
    expect(cases).toHaveLength(15);
    expect(cases.filter(({ differences, missing }) => differences.length > 0 || missing)).toEqual([]);
  });

  it('answer the same calls with the same results, errors, states and logs', () => {
    const cases = compared('app_calls.json', compareAppCalls);
    expect(cases.length).toBeGreaterThan(4);
    expect(cases.filter(({ differences, missing }) => differences.length > 0 || missing)).toEqual([]);
  });

  it.each([
    ['a result', '"Event id0003 successfully deleted by Ana."', '"gone"', 'steps'],
    ['the text of an error', 'Tag cannot be empty.', 'Tag must not be empty.', 'steps'],
    ['the class of an error', '"KeyError"', '"ValueError"', 'steps'],
    ['a state', '"order_status": "cancelled"', '"order_status": "shipped"', 'final_state'],
    ['the log', '"failed": true', '"failed": false', 'event_log'],
  ])('see a difference in %s', (_, from, to, where) => {
    const cases = compared('app_calls.json', compareAppCalls, (text) => {
      const at = text.lastIndexOf(from);
      return text.slice(0, at) + to + text.slice(at + from.length);
    });
    const found = cases.flatMap(({ differences }) => differences);
    expect(found).not.toEqual([]);
    expect(found[0]).toContain(where);
  });
});
