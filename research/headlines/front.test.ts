// Tests the front page of the findings: its sentences and tables follow from the rows wherever they are printed, as does every number of
// README, of the first screens and of the ten sentences; and each entry is in the table once, with the reason if it is open.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { TRUSTED_ONLY } from '../../src/findings/arena/frontier.ts';
import { FRONT_PATH, frontText, readFront } from '../../src/findings/front.ts';
import { openKindOf } from '../../src/findings/open-kind.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import { readSheet, type SeriesSheet, type ShownQuestion } from '../../src/findings/sheet.ts';
import { percent, points } from '../../src/lib/numbers.ts';
import { filledIn } from '../judge/markers.ts';
import { publishedSheet } from '../judge/publish.ts';
import { FINDINGS_PAGE } from '../judge/readme.ts';
import { SHOWN, SIZES } from '../series/prediction/cells.ts';
import type { PredictionRow } from '../series/prediction/rows.ts';
import { frontierPoint } from '../series/study/questions/capability.ts';
import { sourcedHeadlines } from './claims.ts';
import { barsSvg } from './figure.ts';
import { figureRows } from './figures.ts';
import { type FrontSources, frontOf } from './front.ts';
import {
  ELSEWHERE_MARKERS,
  ELSEWHERE_PAGE,
  elsewhereLines,
  TABLE_MARKERS,
  TEN_MARKERS,
  tableLines,
  tenFigurePath,
  tenLines,
} from './front-text.ts';
import { figuresFrom, readIn, saidOf, sourced } from './sourced-sentence.ts';
import { type Sources, sourcesOf } from './sources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}/${path}`, 'utf8');
const sheets = new Map<SeriesId, SeriesSheet>();
let sources: Sources;
let told: FrontSources;
let entries: ShownQuestion[];

beforeAll(async () => {
  for (const id of SERIES_IDS) sheets.set(id, readSheet(await publishedSheet(ROOT, id)));
  sources = sourcesOf(ROOT, sheets);
  told = frontOf(sources, sheets);
  entries = [...sheets.values()].flatMap(({ questions }) => questions);
});

describe('the front of the findings', () => {
  it('is published as computed from the rows: for the page, in the docs, and in pictures', () => {
    const { front } = told;
    expect(read(`public/${FRONT_PATH}`)).toBe(frontText(front));
    expect(readFront(frontText(front))).toEqual(JSON.parse(JSON.stringify(front)));
    const page = read(FINDINGS_PAGE);
    expect(page).toBe(filledIn(page, TEN_MARKERS, tenLines(front)));
    expect(page).toBe(filledIn(page, TABLE_MARKERS, tableLines(front)));
    const other = read(ELSEWHERE_PAGE);
    expect(other).toBe(filledIn(other, ELSEWHERE_MARKERS, elsewhereLines(front)));
    for (const [i, { picture }] of front.sentences.entries())
      expect(read(tenFigurePath(i + 1))).toBe(barsSvg(picture.title, picture.bars));
  });

  it('has ten sentences, two of them negative, each with its data and the entries that judge it', () => {
    const { sentences } = told.front;
    expect(sentences).toHaveLength(10);
    expect(sentences.filter(({ isNegative }) => isNegative)).toHaveLength(2);
    for (const { text, counted, by, picture } of sentences) {
      expect(counted, text).toMatch(/^\d bases? × .*(evaluation draws?\)?|read without sampling)$/);
      expect(picture.bars.length, text).toBeGreaterThan(1);
      for (const { id, word, standing, age } of by) {
        const entry = entries.find((one) => one.id === id)!;
        expect([word, standing, age]).toEqual([entry.word, entry.standing, entry.age?.status ?? null]);
      }
    }
  });

  it('states the numbers of seeds and evaluations of its figures', () => {
    const [own, , , trusted] = told.front.sentences;
    const { figures } = entries.find(({ id }) => id === 'Q10')!;
    const seeds = figures.filter(({ name }) => name.includes('varied surface')).map(({ n }) => n);
    expect(seeds).toEqual([5, 10]);
    expect(own.text).toMatch(/; five seeds\) and by .* routed \(ten seeds\)\.$/);
    const points = (['judged', 'apart'] as const).map(
      (name) => sources.arena(name).points.find(({ arm, model }) => `${arm} ${model}` === TRUSTED_ONLY)!,
    );
    const evaluations = [...trusted.counted.matchAll(/(\d+) evaluation draws?/g)].map(([, count]) => Number(count));
    expect(evaluations).toEqual(points.map((point) => point.evaluations ?? 1));
  });

  it('has each entry once, and one row per question', () => {
    const { questions, columns } = told.front;
    const ids = questions.flatMap(({ cells }) => cells.flat().map(({ id }) => id));
    expect(ids.toSorted()).toEqual(entries.map(({ id }) => id).toSorted());
    for (const { cells } of questions) expect(cells).toHaveLength(columns.length);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  });

  it('gives a reason for every open entry, and “too wide to tell” only if an interval contains a bound', () => {
    for (const entry of entries) {
      const kind = openKindOf(entry);
      expect(kind === null, entry.id).toBe(entry.standing !== 'open');
      if (kind !== 'too wide to tell') continue;
      // The interval contains 0, or a margin or bound of the rule.
      const bounds = [
        0,
        ...[...entry.rule.matchAll(/[−±]? ?\.?\d+/g)].map(([text]) => Math.abs(Number(text.replace(/[−± ]/g, '')))),
      ];
      const isOver = entry.figures.some(({ interval }) =>
        interval
          ? bounds.some((bound) => [bound, -bound].some((at) => interval.low < at && interval.high > at))
          : false,
      );
      expect(isOver, entry.id).toBe(true);
    }
  });
});

it('has the same shares of Q18 in the summary of all series as README and the lab book', () => {
  const { figures } = sources.question('Q18');
  const kept = (cell: string) => percent(frontierPoint(figures, cell)!.kept, 0);
  expect(read('docs/findings.md')).toContain(
    `keeps ${kept('k5@0.5')} with ½ honest problems (vanilla ${kept('vanilla@0.5')}) and ${kept('k5@0.75')} with ¾ (vanilla ${kept('vanilla@0.75')})`,
  );
});

describe('whether a basis of one hack stops another', () => {
  const said = () => told.elsewhere.said.map(({ text }) => text).join('\n');

  it('describes pairs and hack of a figure as the question that judges it does', () => {
    for (const [id, asked, words] of [
      [
        'I2',
        /^The claiming model, .* what the pairs of another hack span/,
        'pairs of mere form change the hack by claims by',
      ],
      [
        'I2-blind',
        /^The model that answers with mere form, .* what the pairs of claims span/,
        'pairs of claims the hack by mere form by',
      ],
    ] as const) {
      const entry = entries.find((one) => one.id === id)!;
      expect(entry.hypothesis).toMatch(asked);
      const { mean } = entry.figures.find(({ name }) => name === 'hack, deployed, other pairs − whole')!;
      expect(said()).toContain(`${words} ${points(mean)} [`);
    }
  });

  it('reports apart the flaws that a basis reaches and those that it does not', () => {
    const rows = sources.lines<PredictionRow>('prediction/judged.jsonl.gz').filter(({ set }) => set === 'prog_wide');
    const removed = SHOWN.flatMap((shown) =>
      SHOWN.flatMap((counted, m) => {
        if (shown === counted) return [];
        const bySize = SIZES.map((size) => {
          const own = rows.filter(({ shows, pairs }) => shows === shown && pairs === size);
          const rise = (of: 'whole' | 'deployed') =>
            own.reduce((sum, row) => sum + row[of].hack[m] - row.base.hack[m], 0);
          return 1 - rise('deployed') / rise('whole');
        });
        return [100 * (bySize.reduce((sum, value) => sum + value, 0) / SIZES.length)];
      }),
    );
    const [many, few] = [removed.filter((share) => share >= 50), removed.filter((share) => share < 50)];
    const range = (shares: readonly number[]) =>
      `${Math.min(...shares).toFixed(0)} to ${Math.max(...shares).toFixed(0)}%`.replace('-', '−');
    expect(said()).toContain(
      `remove ${range(many)} of another’s hack (${many.length} of ${removed.length} pairs of flaws)`,
    );
    expect(said()).toContain(`in the others ${range(few)}.`);
  });
});

describe('every figure of README, of the first screens and of the ten sentences', () => {
  it('equals the value computed from the rows, wherever it is printed', () => {
    const rows = figureRows(ROOT, sourcedHeadlines(sources), told, sources, sheets);
    expect(rows.length).toBeGreaterThan(200);
    for (const place of ['README.md', 'public/results/headlines.json', FINDINGS_PAGE, `public/${FRONT_PATH}`])
      expect(
        rows.some((row) => row.place === place),
        place,
      ).toBe(true);
    expect(rows.filter(({ published, computed }) => published !== computed)).toEqual([]);
  });

  it('is detected if changed, and missing if its sentence is missing', () => {
    const figure = figuresFrom('rows.json');
    const said = sourced`It hacks on ${figure('hack', '45%')} and solves ${figure('solve', '53%')}.`;
    expect(readIn('… It hacks on 44% and solves 53%. …', said)).toEqual(['44%', '53%']);
    expect(readIn('It hacks on 44%.', said)).toBeNull();
    const line = saidOf('1 of 9 methods; kept 83% [79, 88].', 'sheet');
    expect(line.figures.map(({ text }) => text)).toEqual(['1', '9', '83%', '79', '88']);
    expect(readIn('1 of 9 methods; kept 84% [79, 88].', line)).toEqual(['1', '9', '84%', '79', '88']);
  });
});
