// The plain sentences of the first screen follow from their published rows, agree with the question that judges the same rows, and claim no
// more than their intervals allow.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OFFERED_ENVIRONMENTS } from '../../src/experiments/environments/registry.ts';
import { HEADLINES_PATH, headlinesText } from '../../src/findings/headline.ts';
import { readSheet } from '../../src/findings/sheet.ts';
import { filledIn } from '../judge/markers.ts';
import { HEADLINE_PAGES, headlineOn, headlineRows, publishedSheet } from '../judge/publish.ts';
import { headlineMarkers } from '../judge/readme.ts';
import { CLAIMS, headlinesOf } from './claims.ts';
import { figurePath, headlineSvg } from './figure.ts';
import { FRONTIER_PATH, frontierOf, frontierSvg } from './frontier.ts';
import { type Claim, headlineOf } from './headline-of.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const rows = headlineRows(ROOT);
const found = headlinesOf(rows);
const of = (environment: string) => found.find((one) => one.environment === environment)!;

describe('the sentences of the first screen', () => {
  it('are published as the rows give them, one for every environment', () => {
    expect(readFileSync(`${ROOT}/public/${HEADLINES_PATH}`, 'utf8')).toBe(headlinesText(found));
    expect(found.map(({ environment }) => environment).sort()).toEqual([...OFFERED_ENVIRONMENTS].sort());
  });

  it('have their figures in the docs, each on one page, as the rows give them', () => {
    const pages = HEADLINE_PAGES.map((page) => ({ page, text: readFileSync(`${ROOT}/${page}`, 'utf8') }));
    for (const one of found) {
      expect(readFileSync(`${ROOT}/${figurePath(one.environment)}`, 'utf8')).toBe(headlineSvg(one));
      const markers = headlineMarkers(one.environment);
      const own = pages.filter(({ text }) => text.includes(markers.start));
      expect(own, one.environment).toHaveLength(1);
      const [{ page, text }] = own;
      expect(text).toBe(filledIn(text, markers, headlineOn(page, one)));
    }
  });

  it('stand beside a frontier of both models, as the rows give it', () => {
    const panels = frontierOf(rows);
    expect(readFileSync(`${ROOT}/${FRONTIER_PATH}`, 'utf8')).toBe(frontierSvg(panels));
    // Same models and arms as in the headlines.
    const [embedded, real] = panels.map(({ points }) => points);
    expect(embedded.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { number } of real) expect(embedded.some((point) => point.number === number)).toBe(true);
    const { figures } = of('one-line-python');
    expect(embedded[1].hack.mean).toBe(figures[0].mean);
    expect(embedded[2].hack.mean).toBe(figures[1].mean);
  });

  it.each(CLAIMS)('$environment: has the means of its units, over every one of them', (claim) => {
    const units = claim.read(rows);
    const { sentence, n, figures } = of(claim.environment);
    expect(n).toBe(units.length);
    expect(n).toBeGreaterThanOrEqual(5);
    expect(new Set(units.map((unit) => unit.of)).size).toBe(n);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const [i, side] of (['from', 'to'] as const).entries()) {
      const value = mean(units.map((unit) => unit[side]));
      expect(figures[i].mean).toBeCloseTo(value, 12);
      expect(sentence).toContain(`${Math.round(100 * value)}%`);
    }
    expect(figures[2].mean).toBeCloseTo(figures[1].mean - figures[0].mean, 12);
    expect(figures[2].interval).not.toBeNull();
  });

  it.each([
    ['chain', 'ExIt − GRPO, K = 16', 1],
    ['characters', 'RL − SDF, near', -1],
    ['agents', 'gain in other universes', 1],
    ['lookup', 'right answers, trained − base', 1],
  ] as const)('%s: its difference is the one that its question judges', async (environment, name, sign) => {
    const { asked, n, figures } = of(environment);
    const { questions } = readSheet(await publishedSheet(ROOT, asked!.series));
    const judged = questions.find(({ id }) => id === asked!.question)!.figures.find((one) => one.name === name)!;
    expect(judged.n).toBe(n);
    expect(figures[2].mean).toBeCloseTo(sign * judged.mean!, 9);
    const ends = [judged.interval!.low, judged.interval!.high].map((end) => sign * end).sort((a, b) => a - b);
    expect(figures[2].interval!.low).toBeCloseTo(ends[0], 9);
    expect(figures[2].interval!.high).toBeCloseTo(ends[1], 9);
  });
});

describe('one sentence', () => {
  const claim: Claim = {
    environment: 'made',
    asked: null,
    inDemo: null,
    unit: 'seeds',
    from: 'Before',
    to: 'After',
    measure: ['it solves', 'of them'],
    second: { more: 'it asks more', less: 'it asks less', open: 'asking' },
  };
  const units = (to: number[], asked: number[]) =>
    to.map((value, i) => ({ of: `seed ${i}`, from: 0.5, to: value, second: { from: 0.2, to: asked[i] } }));

  it('says which way only where the whole interval lies on one side', () => {
    expect(headlineOf(claim, units([0.6, 0.62, 0.61], [0.1, 0.11, 0.12])).sentence).toBe(
      'Before, it solves 50% of them. After: 61%, and it asks less (11% against 20%).',
    );
    expect(headlineOf(claim, units([0.4, 0.62, 0.61], [0.1, 0.5, 0.12])).sentence).toBe(
      'Before, it solves 50% of them. After: 54%; no difference is shown; no difference is shown in asking (24% against 20%).',
    );
  });

  it('has no interval where all units are one model, no zero that is none, and nothing of one unit', () => {
    const { figures, sentence } = headlineOf(claim, units([0.001, 0.002, 0.003], [0.3, 0.31, 0.32]));
    expect(figures[0].interval).toBeNull();
    expect(sentence).toContain('After: under 1%, and it asks more');
    expect(() => headlineOf(claim, units([0.6], [0.3]))).toThrow(RangeError);
  });
});
