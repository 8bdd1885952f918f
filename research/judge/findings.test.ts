// Tests that every published sheet follows from its rows, agrees with its page of the docs, and links to its runs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { resolveRuns } from '../../src/experiments/config/spec.ts';
import { SERIES_IDS, type SeriesId, seriesOf } from '../../src/findings/series.ts';
import { readSheet, type SeriesSheet, sheetText } from '../../src/findings/sheet.ts';
import { decodeShare } from '../../src/share/url.ts';
import { publishedRedrawn } from '../draws/published.ts';
import { headlinesOf } from '../headlines/claims.ts';
import { sourcesOf } from '../headlines/sources.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';
import { agesSummary } from './ages.ts';
import { filledIn, textBetween } from './markers.ts';
import { headlineRows, judgedOf, publishedSheet, sheetOf, withDocsLinks } from './publish.ts';
import {
  AGE_MARKERS,
  FINDINGS_PAGE,
  FINDINGS_PARTS,
  findingsSummary,
  HEADLINE_MARKERS,
  headlineLines,
  OVERVIEW_PAGE,
} from './readme.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const rows = headlineRows(ROOT);
/** A compressed link and the last digits of a sum may differ between machines while their content is the same. */
const opened = async ({ questions }: SeriesSheet) => {
  const all = await Promise.all(
    questions.map(async (question) => ({
      ...question,
      runs: await Promise.all(question.runs.map(async (run) => ({ ...run, hash: await decodeShare(run.hash) }))),
    })),
  );
  return JSON.parse(JSON.stringify(all), (_, value) => (typeof value === 'number' ? Number(value.toFixed(9)) : value));
};
/** Ignores the kind of dash and the sign of a zero. */
const plain = (text: string) => text.replaceAll('−', '-').replace(/-(\.0+)(?!\d)/g, '$1');

/** The study's sheet is checked against its rows in series/study/publish.test.ts. */
const OF_ROWS = Object.keys(ENVIRONMENT_QUESTIONS) as (keyof typeof ENVIRONMENT_QUESTIONS)[];

describe.each(OF_ROWS)('%s', (id) => {
  const { letters, docs } = seriesOf(id);
  const questions = ENVIRONMENT_QUESTIONS[id];
  const judged = judgedOf(questions, rows);

  it('has the sheet that `npm run research -- publish` computes from the rows', async () => {
    const kept = readSheet(await publishedSheet(ROOT, id));
    const made = readSheet(sheetText(await sheetOf(questions, judged, rows, publishedRedrawn(ROOT, rows))));
    expect(await opened(kept)).toEqual(await opened(made));
    expect(kept.questions.map((question) => question.id)).toEqual(questions.map((question) => question.id));
  });

  it('agrees with its page of the docs in every number', () => {
    const page = plain(readFileSync(`${ROOT}/${docs}`, 'utf8'));
    for (const question of questions) {
      expect(letters).toContain(question.id[0]);
      expect(page).toMatch(new RegExp(`^#+ ${question.section.replace(/[.*+?^$()]/g, '\\$&')}$`, 'm'));
      const { inDocs = [], limits = [] } = judged.get(question.id) ?? {};
      for (const text of [...inDocs, ...limits])
        expect(page.includes(plain(text)), `${question.id}: ${docs} does not say “${text}”`).toBe(true);
    }
  });

  if (id === 'cat')
    it('has each verdict at the top of its page, with n and a figure of its rule', () => {
      const page = plain(readFileSync(`${ROOT}/${docs}`, 'utf8'));
      const short = page.slice(page.indexOf('## In short'), page.indexOf('## What is asked'));
      for (const [question, found] of judged) {
        const [, , , verdict, n, figures] = short.match(new RegExp(`^\\| ${question} \\|.*$`, 'm'))![0].split('|');
        expect(verdict.trim(), question).toBe(found?.word ?? 'not run');
        expect(Number.parseInt(n.trim() || '0', 10), question).toBe(found?.n ?? 0);
        if (found)
          expect(
            found.inDocs.slice(1).some((one) => figures.includes(plain(one))),
            question,
          ).toBe(true);
      }
    });

  it('opens its runs with their original settings', () => {
    for (const [question, found] of judged)
      for (const { spec, record, name } of found?.runs() ?? []) {
        const [own, ...others] = resolveRuns(spec);
        expect(others).toEqual([]);
        // For options newer than the run the link has the default, with which the run was made.
        if (record) expect(own, `${question}, ${name}`).toMatchObject(record.spec);
      }
  });
});

/** Matches a question that has a sentence or is listed; H1 may also be named as the source of Q2's answer. */
const named = (id: string) => new RegExp(`(\\*|, |; |: |\\()${id}(, n = |[,;.]|$)`);

it('has the sheets’ results on the page of findings, every question once, and a line per environment in README', async () => {
  const sheets = new Map<SeriesId, SeriesSheet>();
  for (const id of SERIES_IDS) sheets.set(id, readSheet(await publishedSheet(ROOT, id)));
  const readme = readFileSync(`${ROOT}/README.md`, 'utf8');
  const page = readFileSync(`${ROOT}/${FINDINGS_PAGE}`, 'utf8');
  const headlines = headlinesOf(sourcesOf(ROOT, sheets, rows));
  const headed = headlineLines(headlines, sheets);
  expect(readme).toBe(filledIn(readme, HEADLINE_MARKERS, headed));
  const overview = readFileSync(`${ROOT}/${OVERVIEW_PAGE}`, 'utf8');
  expect(overview).toBe(filledIn(overview, HEADLINE_MARKERS, withDocsLinks(headed)));
  const lines = findingsSummary(sheets);
  for (const { markers, series } of FINDINGS_PARTS) {
    const own = new Map(series.map((id) => [id, sheets.get(id)!] as const));
    expect(page).toBe(filledIn(page, markers, findingsSummary(own)));
  }
  expect(page).toBe(filledIn(page, AGE_MARKERS, agesSummary(sheets.values())));
  expect(FINDINGS_PARTS.flatMap(({ series }) => series)).toEqual(SERIES_IDS);
  for (const id of SERIES_IDS)
    for (const question of sheets.get(id)!.questions)
      expect(
        // Selects lines that present the question, not lines that refer to it.
        lines.filter((line) => !/^ {2}- \*\*/.test(line) && named(question.id).test(line)),
        question.id,
      ).toHaveLength(1);
});

it('has no figure on the overview page that is on no other page', () => {
  const page = readFileSync(`${ROOT}/${OVERVIEW_PAGE}`, 'utf8');
  const own = page.replace(textBetween(page, HEADLINE_MARKERS), '');
  // Generators or tests keep these pages equal to their rows.
  const held = [
    ...['arena.md', 'instructions.md', 'explanation/findings.md', 'explanation/characters.md'],
    ...['projected-grpo', 'cat', 'exit', 'characters', 'agents', 'prediction'].map((name) => `lab-book/${name}.md`),
  ]
    .map((name) => readFileSync(`${ROOT}/docs/${name}`, 'utf8').replaceAll('-.', '−.'))
    .join('\n');
  const figures = own.match(/[−+]?\d*\.?\d+%? \[[^\]]+\]/g) ?? [];
  expect(figures.length).toBeGreaterThan(6);
  expect(figures.filter((figure) => !held.includes(figure))).toEqual([]);
});

it('has unique ids, and rows only in each series’ own folder or the arena’s', () => {
  const all = OF_ROWS.flatMap((id) => ENVIRONMENT_QUESTIONS[id].map((question) => ({ id, question })));
  expect(new Set(all.map(({ question }) => question.id)).size).toBe(all.length);
  for (const { id, question } of all)
    for (const file of question.files) expect([id, 'arena'], `${question.id}: ${file}`).toContain(file.split('/')[0]);
});

it('refuses a question that reads rows which it does not name, or names none', () => {
  const [e1] = ENVIRONMENT_QUESTIONS.exit;
  expect(() => judgedOf([{ ...e1, files: ['exit/quarter.jsonl.gz'] }], rows)).toThrow(
    'E1 reads exit/e1.jsonl.gz, which it does not name',
  );
  expect(judgedOf([{ ...e1, files: ['exit/none.jsonl.gz'] }], rows)).toEqual(new Map([['E1', null]]));
  expect(() => judgedOf([{ ...e1, files: [] }], rows)).toThrow('E1 names no rows');
});

it('refuses a sheet that was tampered with', async () => {
  const text = await publishedSheet(ROOT, 'exit');
  expect(() => readSheet(text.replace('"standing":"holds"', '"standing":"proves"'))).toThrow('are damaged');
  expect(() => readSheet(text.replace(/"hash":"2\.[\w-]+"/, '"hash":"javascript:1"'))).toThrow('are damaged');
});
