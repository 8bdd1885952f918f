// Checks that every finding has one bar per condition, in the hue of its arm in the charts.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ARMS } from '../../experiments/config/arms.ts';
import { CONDITIONS } from '../../findings/conditions.ts';
import { eachText, HEADLINES_PATH, readHeadlines } from '../../findings/headline.ts';
import { armStyle, BASE_STYLE } from '../runs/arm-style.ts';
import { barsOf } from './bars.ts';

const headlines = readHeadlines(
  JSON.parse(readFileSync(new URL(`../../../public/${HEADLINES_PATH}`, import.meta.url), 'utf8')),
);

it('names exactly the models of the findings', () => {
  expect(Object.keys(CONDITIONS).sort()).toEqual(headlines.map(({ environment }) => environment).sort());
  for (const { arm } of Object.values(CONDITIONS).flat()) expect(ARMS).toHaveProperty([arm]);
});

it.each(headlines)('$environment: one bar per condition, no two of one hue', (headline) => {
  const bars = barsOf(headline);
  expect(bars).toHaveLength(CONDITIONS[headline.environment].length);
  expect(new Set(bars.map(({ color }) => color)).size).toBe(bars.length);
  const text = [headline.sentence, ...headline.beside].join(' ');
  for (const { share, each } of bars) expect(text).toContain(each ? eachText(each) : share);
  // Grey is reserved for the untrained model.
  for (const { condition, color } of bars) expect(condition === 'Untrained').toBe(color === BASE_STYLE.color);
});

it('has the same looks as the charts', () => {
  const of = (environment: string) => barsOf(headlines.find((one) => one.environment === environment)!);
  expect(of('characters').map(({ color }) => color)).toEqual([armStyle('none').color, armStyle('sdf').color]);
  expect(of('one-line-python')[1].color).toBe(armStyle('route-update').color);
});
