// Tests the frontier of synthetic cells: which models are marks and with which role, the way from the base, the placebos' links, the texts;
// and its picture, in which nothing is outside the frame and no name covers another.
import { describe, expect, it } from 'vitest';
import { everyModel, fewSheet } from '../testing/arena-sheets.ts';
import {
  type Frontier,
  frontierOf,
  frontierWords,
  markText,
  PLAIN_RL,
  ranked,
  sheetStatus,
  unitNote,
} from './frontier.ts';
import { legendOf, pictureOf } from './picture.ts';

const few = fewSheet();
const frontier = frontierOf(everyModel());
const of = (id: string, { marks }: Frontier = frontier) => marks.find((mark) => mark.id === id)!;

describe('the marks', () => {
  it('have kept and removed shares with intervals; corners have them by definition', () => {
    const own = frontierOf(few);
    expect(own.marks.map(({ name, role }) => `${name}: ${role}`)).toEqual([
      'base (untrained): corner',
      'vanilla: corner',
      'vanilla: trained, α = 0.5: along',
      'vanilla: trained, α = 0.25: along',
      'repaired graders: corner',
      'trusted only: method',
    ]);
    expect([of('none total', own).removed, of('repaired total', own).kept]).toEqual([0, 1]);
    // The kept share is (.6 − .4) of (.72 − .4) on honest prompts; (.05 − .02) of (.52 − .02) of the hack is left.
    const { kept, removed, bars } = of('trusted-only total', own);
    expect(kept).toBeCloseTo(0.2 / 0.32);
    expect(removed).toBeCloseTo(1 - 0.03 / 0.5);
    expect(bars.removed!.low).toBeLessThan(removed);
    expect(bars.kept!.high).toBeGreaterThan(kept);
    expect(own.ways).toEqual([['base', 'none alpha_0.25', 'none alpha_0.5', 'none total']]);
  });

  it('are the deployed model of a method with a quarantine, and repaired graders and vanilla only once', () => {
    expect(of('blocks deployed')).toMatchObject({ role: 'method', labels: 'pairs' });
    expect(of('blocks total')).toBeUndefined();
    expect(of('repaired early_stop')).toBeUndefined();
    expect(of('none merge')).toBeUndefined();
    expect(of('trusted-only merge')).toMatchObject({ role: 'method' });
    expect(of('agem_random total').role).toBe('placebo');
    expect(frontier.links).toContainEqual(['agem_random total', 'agem total']);
    expect(frontier.links).toContainEqual(['router_random deployed', 'router deployed']);
    expect(frontier.ways.map(([, , , , , , , , end]) => end)).toEqual(['none total', 'trusted-only total']);
  });

  it('are only counted if a ratio is unknown', () => {
    const unknown = { n: 3, ratio: null, interval: null };
    const points = few.points.map((point) => ({ ...point, removed: unknown }));
    expect(frontierOf({ points })).toMatchObject({ without: 5, marks: [{ id: 'base' }] });
  });
});

describe('the text', () => {
  const mark = (id: string, kept: number, removed: number): Frontier['marks'][number] => ({
    id,
    name: id,
    role: 'method',
    labels: 'trusted',
    n: 4,
    kept,
    removed,
    verdict: 'fails',
    bars: { kept: { low: kept - 0.05, high: kept + 0.05 }, removed: null },
  });
  const made = (...marks: Frontier['marks'][number][]): Frontier => ({
    marks,
    ways: [],
    links: [],
    without: 0,
    draws: null,
  });

  it('names the method that keeps most among those that remove enough for the bar, and compares trusted problems alone', () => {
    const own = made(
      mark('a', 0.9, 0.8),
      mark('b', 0.6, 0.91),
      mark('c', 0.7, 0.93),
      mark('trusted-only total', 0.5, 1),
    );
    expect(ranked(own).map(({ id }) => id)).toEqual(['c', 'b', 'trusted-only total', 'a']);
    expect(frontierWords(own)).toBe(
      'Of 4 methods (1 of them a baseline), 3 remove at least 90% of the hack in the mean. Of these “c” keeps the most: 70% [65, 75] of what repaired graders teach on honest prompts, with 93% of the hack removed (n = 4). “trusted-only total” keeps 50% [45, 55] and removes 100% (n = 4); the unpaired intervals of what is kept do not overlap.',
    );
  });

  it('says that none removes enough, or that none is better than trusted problems alone', () => {
    expect(frontierWords(made(mark('a', 0.9, 0.8), mark('b', 0.6, 0.85)))).toMatch(
      /^None of 2 methods removes 90% of the hack\. “b” removes the most: 85%, and keeps 60% \[55, 65\]/,
    );
    expect(frontierWords(made(mark('a', 0.9, 0.8), mark('trusted-only total', 0.6, 0.95)))).toMatch(
      /No other method that removes 90% keeps more in the mean\.$/,
    );
    expect(frontierWords(made(mark('a', 0.55, 0.95), mark('trusted-only total', 0.5, 1)))).toMatch(/kept overlap\.$/);
    expect(frontierWords(made())).toBe('');
    const beside = { ...made(mark('a', 0.9, 0.95), mark('b', 0.8, 0.9)), links: [['b', 'a']] as const };
    expect(frontierWords(beside)).toMatch(/ Its placebo keeps 80% \[75, 85\] and removes 90%\.$/);
  });

  it('says what plain RL keeps, and what more than 100% removed means', () => {
    const own = made(mark('a', 0.9, 1.02), { ...mark(PLAIN_RL, 0.85, 0), role: 'corner' });
    expect(frontierWords(own)).toMatch(/ Vanilla, which removes nothing, keeps 85% \[80, 90\]\.$/);
    expect(unitNote(own)).toMatch(/ Beyond 100% removed: fewer hacks than the untrained model’s\.$/);
    expect(unitNote(made(mark('a', 0.9, 1)))).not.toContain('Beyond');
  });

  it('gives n, and says that pilots judge nothing', () => {
    expect(sheetStatus('pilots', frontier)).toBe('Pilots: n = 4 cells of 1 draw, nothing is judged.');
    expect(sheetStatus('narrow', frontier)).toBe(
      'All trusted problems take strings: n = 4 cells of 1 draw. P4 judges merging, P7 the verifier.',
    );
    expect(sheetStatus('judged', frontierOf(few))).toMatch(
      /^Judged runs: n = 3 cells of 1 draw\. No method is judged yet\. The bar: at least 90% of each mode’s hack removed/,
    );
    const by = (...verdicts: string[]) =>
      made(...verdicts.map((verdict, i) => ({ ...mark(`m${i}`, 0.8, 1), verdict })));
    expect(sheetStatus('judged', by('holds', 'holds', 'fails'))).toMatch(
      / 2 of 3 methods reach the bar\. In twelve other draws .* \(P8 fails\)\. The bar: /,
    );
    expect(sheetStatus('judged', by('holds', 'open: 3 of 15 cells'))).toMatch(
      / 1 of 2 methods reaches the bar; 1 is open\. In twelve/,
    );
    const byDraw = made({ ...mark('m', 0.8, 1), verdict: 'holds', byDraw: 'in part: x' }, mark('o', 0.5, 0.5));
    expect(sheetStatus('judged', byDraw)).toMatch(
      / 1 of 2 methods reaches the bar by cells, as registered; by draws none does\. In twelve/,
    );
    expect(unitNote({ ...byDraw, draws: 3 })).toMatch(/^Intervals are over the 3 draws of problems, each the mean/);
    expect(unitNote({ ...byDraw, draws: 4 })).toBe('Intervals are over the 4 draws of problems.');
    expect(unitNote({ ...byDraw, draws: 1 })).toMatch(/^All cells are of one draw of problems/);
    expect(sheetStatus('judged', by('in part: x'))).toMatch(/ None of 1 method reaches the bar\. The bar: /);
    // A baseline cannot solve more than itself, so the bar does not apply to it.
    const beside = made(
      { ...mark('m', 0.8, 1), verdict: 'holds' },
      mark('trusted-only total', 0.7, 1),
      mark('none early_stop', 0.8, 0),
    );
    expect(sheetStatus('judged', beside)).toMatch(/ 1 of 1 method reaches the bar\. In twelve/);
    expect(markText(of('base'))).toMatch(/by definition$/);
    expect(markText(of('agem total'))).toMatch(/^A-GEM: keeps \d+% \[\d+, \d+\], removes .*, n = 4$/);
  });
});

describe.each([
  [960, 480, 5],
  [340, 480, 2],
  [300, 280, 2],
])('the picture, %i × %i', (width, height, named) => {
  const { shapes, marks } = pictureOf(frontier, { width, height, named, chosen: 'agem_random total' });
  const texts = shapes.flatMap((shape) => ('text' in shape ? [shape] : []));

  it('has every mark inside, and names for the corners and the chosen mark', () => {
    expect(marks).toHaveLength(frontier.marks.length);
    for (const { x, y } of marks) expect([x > 0, x < width, y > 0, y < height]).toEqual([true, true, true, true]);
    const names = texts.map(({ text }) => text);
    for (const name of ['A-GEM, random', 'vanilla', 'repaired graders', ranked(frontier)[0].name])
      expect(names).toContain(name);
  });

  it('has no overlapping names, and none outside', () => {
    const boxes = texts
      .filter(({ fontWeight }) => fontWeight === 600)
      .map(({ text, x, y, textAnchor }) => {
        const room = 6.1 * text.length;
        const left = textAnchor === 'start' ? x : textAnchor === 'end' ? x - room : x - room / 2;
        return { text, left, right: left + room, y };
      });
    for (const [i, a] of boxes.entries()) {
      expect([a.left >= 0, a.right <= width], a.text).toEqual([true, true]);
      for (const b of boxes.slice(i + 1))
        expect(
          Math.abs(a.y - b.y) > 12 || a.right <= b.left + 0.2 || b.right <= a.left + 0.2,
          `${a.text}, ${b.text}`,
        ).toBe(true);
    }
  });

  it('has no NaN', () => {
    expect(JSON.stringify(shapes)).not.toMatch(/NaN|null|Infinity/);
  });
});

it('the legend has entries for exactly the drawn marks', () => {
  expect(legendOf(frontierOf(few)).map(({ id }) => id)).toEqual(['trusted', 'along', 'corner']);
  expect(legendOf(frontier).map(({ id }) => id)).toEqual([
    'none',
    'trusted',
    'pairs',
    'oracle',
    'placebo',
    'along',
    'corner',
  ]);
});

it('a ratio outside the axes is drawn at the frame’s edge', () => {
  const points = few.points.map((point) =>
    point.arm === 'trusted-only' ? { ...point, removed: { n: 3, ratio: -7, interval: null } } : point,
  );
  const own = frontierOf({ points });
  const { marks } = pictureOf(own, { width: 600, height: 400, named: 3 });
  expect(marks.find(({ id }) => id === 'trusted-only total')!.y).toBe(400 - 40);
});
