import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import { HEADLINES_PATH, readHeadlines } from '../../findings/headline.ts';
import { answerOf, intervalsOf, unitsOf } from './answer.ts';

const headlines = readHeadlines(
  JSON.parse(readFileSync(new URL(`../../../public/${HEADLINES_PATH}`, import.meta.url), 'utf8')),
);

describe('the answer to a question', () => {
  it.each(headlines.map((headline) => [headline.environment, headline] as const))(
    'has two figures and a name for the measure: %s',
    (environment, headline) => {
      expect(answerOf(headline)).toMatch(/^<?\d+(, \d+)*% → <?\d+(, \d+)*%$/);
      expect(findEnvironment(environment)?.card.measured).toBeTruthy();
    },
  );

  it('names the reference condition, then the one in question; lists the units if they differ widely', () => {
    const of = (environment: string) => answerOf(headlines.find((one) => one.environment === environment)!);
    expect(of('one-line-python')).toBe('42% → 3%');
    expect(of('instructions')).toBe('78, 8, 88, 92, 87% → 72, 4, 64, 85, 63%');
  });

  it('has intervals, or else states the number of units behind its figures', () => {
    const of = (environment: string) => {
      const headline = headlines.find((one) => one.environment === environment)!;
      return [intervalsOf(headline), unitsOf(headline)];
    };
    expect(of('one-line-python')).toEqual(['[39–45] → [2–4]', null]);
    expect(of('instructions')).toEqual([null, 'in 5 seeds']);
  });
});
