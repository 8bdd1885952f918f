// Tests the repeated questions of the published sheets, as one chart and one sentence.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SERIES_IDS } from '../../findings/series.ts';
import { readSheet, sheetName } from '../../findings/sheet.ts';
import { stemsOf } from '../../findings/stems.ts';
import { forestOf, isAnswered, statusSummary, whyOpen } from './forest.ts';

const sheetOf = (id: (typeof SERIES_IDS)[number]) => {
  const bytes = readFileSync(new URL(`../../../public/results/${sheetName(id)}`, import.meta.url));
  return readSheet(gunzipSync(bytes).toString('utf8')).questions;
};
const stem = (series: (typeof SERIES_IDS)[number], id: string) =>
  stemsOf(sheetOf(series)).find((one) => one.id === id)!.entries;

describe('repetitions of one question', () => {
  it('are separate lines of one chart, if they have any unit', () => {
    const entries = stem('characters', 'S1');
    const forest = forestOf(entries)!;
    const answered = entries.filter(({ n }) => n > 0);
    expect(forest.rows.map(({ name }) => name.split(':')[0])).toEqual(answered.map(({ id }) => id));
    expect(answered.length).toBeLessThan(entries.length);
    for (const [i, { figures }] of answered.entries()) {
      expect(forest.rows[i].mean).toBe(figures[0].mean);
      expect(forest.rows[i].interval).toEqual(figures[0].interval);
    }
    expect(forestOf(stem('exit', 'E1'))?.rows.map(({ n }) => n)).toEqual([5, 5]);
  });

  it('have no common chart if they measure different quantities', () => {
    expect(forestOf(stem('characters', 'S9'))).toBeNull();
    expect(forestOf(stem('characters', 'S5'))).toBeNull();
  });

  it('are described by the claims that hold, and by those that are open', () => {
    const text = statusSummary(stem('characters', 'S1'));
    expect(text).toMatch(
      /^Documents about one character change .* \(S1-again, S1-seed2-on-again, S1-seed3-on-again\)\. Open: S1, /,
    );
    for (const { id } of stem('characters', 'S1').filter(({ n }) => n === 0))
      expect(text.split(/[ ,.]+/)).not.toContain(id);
  });
});

describe('an open question', () => {
  it('states why it is open, in any series', () => {
    for (const question of SERIES_IDS.flatMap(sheetOf)) {
      const why = whyOpen(question);
      if (question.standing !== 'open') expect(why).toBeNull();
      else if (question.n === 0) expect(why).toMatch(/^Too few: 0 of/);
    }
    const by = (id: string) => whyOpen(SERIES_IDS.flatMap(sheetOf).find((one) => one.id === id)!);
    expect(by('S1-seed2-on')).toBe('Too few: 5 of 8 characters with the effect under both; 6 are wanted.');
    expect(by('E4')).toMatch(/^Both sides of 0 are possible: ExIt − clipped gain, \.\d+ \[−/);
    expect(isAnswered({ n: 0, standing: 'open' })).toBe(false);
  });
});
