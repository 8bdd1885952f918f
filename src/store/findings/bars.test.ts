// Every finding has a bar for each condition, in the hue that its arm has in the charts.
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

it('names the models of every finding, and no other', () => {
  expect(Object.keys(CONDITIONS).sort()).toEqual(headlines.map(({ environment }) => environment).sort());
  for (const { arm } of Object.values(CONDITIONS).flat()) expect(ARMS).toHaveProperty([arm]);
});

it.each(headlines)('$environment: a bar a condition, no two of one hue', (headline) => {
  const bars = barsOf(headline);
  expect(bars).toHaveLength(CONDITIONS[headline.environment].length);
  expect(new Set(bars.map(({ color }) => color)).size).toBe(bars.length);
  const text = [headline.sentence, ...headline.beside].join(' ');
  for (const { share, each } of bars) expect(text).toContain(each ? eachText(each) : share);
  // Grey is for the untrained model, and for nothing else.
  for (const { condition, color } of bars) expect(condition === 'Untrained').toBe(color === BASE_STYLE.color);
});

it('has the looks of the charts', () => {
  const of = (environment: string) => barsOf(headlines.find((one) => one.environment === environment)!);
  expect(of('characters').map(({ color }) => color)).toEqual([armStyle('none').color, armStyle('sdf').color]);
  expect(of('one-line-python')[1].color).toBe(armStyle('route-update').color);
});
