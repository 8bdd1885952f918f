// Checks that the lead below a section's title is short enough to read at a glance. Longer text belongs behind its question mark.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERIES } from '../../findings/series.ts';

const MOST = 20;
const UI = new URL('../', import.meta.url);

const ofPage = readdirSync(UI, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx'))
  .flatMap((path) => {
    const leads = readFileSync(new URL(path, UI), 'utf8').matchAll(/<Section\b[^>]*?\blead="([^"]*)"/g);
    return [...leads].map(([, lead]) => [path, lead] as const);
  });

describe.each([...ofPage, ...SERIES.map(({ id, lead }) => [id, lead] as const)])('a lead of %s', (_, lead) => {
  it(`has at most ${MOST} words: ${lead}`, () => {
    expect(lead.split(/\s+/).length).toBeLessThanOrEqual(MOST);
  });
});

it('finds the leads of the page', () => expect(ofPage.length).toBeGreaterThan(30));
