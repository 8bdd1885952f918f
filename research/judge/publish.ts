// Published rows → the sheet per series that Findings opens (public/results/<series>/sheet.json.gz), and the parts of README and of the
// docs' page of findings. It reads only rows, so no verdict or figure in a sheet can be written by hand.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import type { ImproveRow } from '../../src/experiments/exit/rows.ts';
import { SHOWN_CHAINS_PATH, SHOWN_CHAINS_SOURCE, shownChainsOf } from '../../src/experiments/exit/shown-chains.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import {
  ARENA_INDEX,
  ARENA_SHEETS,
  type ArenaSheet,
  type ArenaSheetName,
  arenaIndexText,
  arenaRunsName,
  arenaSheetName,
  arenaSheetText,
  readArenaIndex,
  readArenaSheet,
} from '../../src/findings/arena/sheet.ts';
import { FRONT_PATH, type Front, frontText } from '../../src/findings/front.ts';
import { type EnvironmentHeadline, HEADLINES_PATH, headlinesText } from '../../src/findings/headline.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import { type SeriesSheet, sheetName, sheetText } from '../../src/findings/sheet.ts';
import { gzipText } from '../../src/lib/inflate.ts';
import { SCHEMES } from '../../src/lib/svg.ts';
import { encodeSpec } from '../../src/share/spec-link.ts';
import { encodeRuns } from '../../src/share/url.ts';
import { againText, judgedAgain } from '../draws/judged.ts';
import { ARENA_SOURCE, publishedDraws } from '../draws/published.ts';
import { type Again, byPlainKey, type Redrawn } from '../draws/rows.ts';
import { barsSvg, figurePath, headlineSvg } from '../headlines/figure.ts';
import {
  ELSEWHERE_MARKERS,
  ELSEWHERE_PAGE,
  elsewhereLines,
  TABLE_MARKERS,
  TEN_MARKERS,
  tableLines,
  tenFigurePath,
  tenLines,
} from '../headlines/front-text.ts';
import { arenaFigurePath, arenaSvg } from '../series/prediction/arena/figure.ts';
import {
  ARENA_MARKERS,
  ARENA_PAGE,
  arenaDocs,
  arenaReadme,
  FURTHER_SHEETS,
  sheetMarkers,
} from '../series/prediction/arena/text.ts';
import { ageOfFiles, agesSummary } from './ages.ts';
import { resultsFolder } from './folder.ts';
import { filledIn, type Markers } from './markers.ts';
import { PACKED_RUNS, packRunsWithCommits, unpackRuns } from './pack.ts';
import { answerOf, type Question } from './question.ts';
import {
  AGE_MARKERS,
  FINDINGS_PAGE,
  FINDINGS_PARTS,
  findingsSummary,
  HEADLINE_MARKERS,
  headlineLines,
  headlineMarkers,
  headlineSection,
  OVERVIEW_PAGE,
} from './readme.ts';
import { shownQuestion } from './shown.ts';
import type { HeadlineRows, Judgement, LabRun, Rows } from './types.ts';

/** Reads each file once, whichever questions need it. */
export function publishedRows(root: string): Rows {
  const known = new Map<string, unknown>();
  const once = <T>(file: string, parse: (bytes: Uint8Array) => T): T => {
    if (!known.has(file)) known.set(file, parse(readFileSync(join(resultsFolder(root), file))));
    return known.get(file) as T;
  };
  const textOf = (bytes: Uint8Array) => gunzipSync(bytes).toString('utf8');
  return {
    has: (file) => existsSync(join(resultsFolder(root), file)),
    lines: (file) =>
      once(file, (bytes) =>
        textOf(bytes)
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    runs: (file) =>
      once(file, (bytes) => {
        if (file.endsWith(PACKED_RUNS)) return unpackRuns(bytes, file).map(({ record }) => record);
        const { runs } = JSON.parse(textOf(bytes)) as { runs?: RunRecord[] };
        if (!Array.isArray(runs)) throw new FormatError(`${file} has no runs.`, 'Publish what `run --json` prints.');
        return runs;
      }),
  };
}

/** Includes the study's runs from their files; each file is unpacked once. */
export function headlineRows(root: string, rows = publishedRows(root)): HeadlineRows {
  const known = new Map<string, ReadonlyMap<string, RunRecord>>();
  const read = (file: string) =>
    new Map(
      unpackRuns(readFileSync(join(resultsFolder(root), file)), file).map(({ key, record }) => [key, record] as const),
    );
  return {
    ...rows,
    study(file) {
      const runs = known.get(file) ?? read(file);
      known.set(file, runs);
      return runs;
    },
  };
}

async function writePublic(root: string, path: string, text: string): Promise<number> {
  await writeWhole(join(root, 'public', path), text);
  return text.length;
}

/** Writes the plain sentences of the page's first screen; returns the number of bytes. */
export const writeHeadlines = (root: string, headlines: readonly EnvironmentHeadline[]): Promise<number> =>
  writePublic(root, HEADLINES_PATH, headlinesText(headlines));

/** Writes one puzzle's revisions for the page's first screen; returns the number of bytes, 0 if the rows contain no such puzzle. */
export async function writeShownChains(root: string, rows: Rows): Promise<number> {
  const shown = rows.has(SHOWN_CHAINS_SOURCE) ? shownChainsOf(rows.lines(SHOWN_CHAINS_SOURCE) as ImproveRow[]) : null;
  return shown === null ? 0 : writePublic(root, SHOWN_CHAINS_PATH, shownText(shown));
}

export const shownText = (shown: unknown): string => `${JSON.stringify(shown)}\n`;

/**
 * Judges the questions of a series; null for a question whose rows are not all published. Throws RangeError for a question that names no
 * files or reads rows of a file that it does not name (the page lists the named files as its sources).
 */
export function judgedOf(questions: readonly Question[], rows: Rows): Map<string, Judgement | null> {
  return new Map(
    questions.map((question) => {
      const { id, files } = question;
      if (files.length === 0) throw new RangeError(`${id} names no rows`);
      const checked = (file: string): string => {
        if (files.includes(file)) return file;
        throw new RangeError(`${id} reads ${file}, which it does not name`);
      };
      const own: Rows = {
        has: rows.has,
        lines: (file) => rows.lines(checked(file)),
        runs: (file) => rows.runs(checked(file)),
      };
      return [id, files.every(rows.has) ? answerOf(question, question.read(own)) : null] as const;
    }),
  );
}

/** Number of points of a run's trajectories in its link: enough for the charts' shape in about a kilobyte. */
const POINTS = [10, null] as const;

/** Includes the result of a published run: its digest shows whether a repetition is bit-identical. */
export const linkOf = async ({ spec, record }: LabRun): Promise<string> =>
  record ? (await encodeRuns(spec, [record], POINTS)).hash : encodeSpec(spec);

/** @param redrawn repeated evaluations: if a question reads them, its answer over the draws is shown beside the verdict */
export async function sheetOf(
  questions: readonly Question[],
  judged: ReadonlyMap<string, Judgement | null>,
  rows: HeadlineRows,
  redrawn: Redrawn,
): Promise<SeriesSheet> {
  const shown: SeriesSheet['questions'] = [];
  for (const question of questions) {
    const found = judgedAgain(question, rows, redrawn);
    const own = judged.get(question.id) ?? null;
    const verdict = own && found ? { ...own, beside: [...own.beside, againText(question, found)] } : own;
    const age = verdict && ageOfFiles(question, rows);
    shown.push({ ...(await shownQuestion(question, verdict, linkOf)), ...(age && { age }) });
  }
  return { questions: shown };
}

/** Returns the number of bytes. */
export async function writeSheet(root: string, series: SeriesId, sheet: SeriesSheet): Promise<number> {
  const bytes = gzipText(sheetText(sheet));
  await mkdir(join(resultsFolder(root), series), { recursive: true });
  await writeWhole(join(resultsFolder(root), sheetName(series)), bytes);
  return bytes.length;
}

/**
 * Writes the arena's sheet, its runs, the index that names it, and its figures; returns the sheet's path. Throws SpecError without runs to
 * publish.
 */
export async function publishArena(
  root: string,
  name: ArenaSheetName,
  sheet: ArenaSheet,
  runs: readonly FinishedRun[],
): Promise<string> {
  if (sheet.points.length === 0)
    throw new SpecError(
      'No cell has complete runs of vanilla and of repaired graders, so that there is nothing to publish.',
      'Run the arms none and repaired with the same seeds and settings.',
    );
  const [file, index] = [arenaSheetName(name), ARENA_INDEX].map((path) => join(resultsFolder(root), path));
  await mkdir(join(resultsFolder(root), 'arena'), { recursive: true });
  await writeWhole(file, gzipText(arenaSheetText(sheet)));
  await writeWhole(join(resultsFolder(root), arenaRunsName(name)), packRunsWithCommits(runs));
  const known = existsSync(index) ? readArenaIndex(await readFile(index, 'utf8')) : [];
  await writeWhole(index, arenaIndexText(ARENA_SHEETS.filter((one) => one === name || known.includes(one))));
  await writeArenaDocs(root);
  return file;
}

/** Runs of an arena sheet that are published with further sampling seeds, which only the judged ones are. Empty without any. */
export const evaluatedAgain = (root: string, name: ArenaSheetName): Again =>
  byPlainKey(name === 'judged' ? publishedDraws(root, ARENA_SOURCE).values() : []);

/** The arena's sheet of that name, by default the one that the page shows first; null if it is not published. */
export function publishedArena(
  root: string,
  asked?: ArenaSheetName,
): { name: ArenaSheetName; sheet: ArenaSheet } | null {
  const index = join(resultsFolder(root), ARENA_INDEX);
  const names = existsSync(index) ? readArenaIndex(readFileSync(index, 'utf8')) : [];
  const name = asked ? names.find((one) => one === asked) : names[0];
  if (!name) return null;
  const bytes = readFileSync(join(resultsFolder(root), arenaSheetName(name)));
  return { name, sheet: readArenaSheet(gunzipSync(bytes).toString('utf8')) };
}

/** Writes the published frontier, light and dark, and its text in README and the docs; returns whether there is one. */
export async function writeArenaDocs(root: string): Promise<boolean> {
  const shown = publishedArena(root);
  if (!shown) return false;
  for (const scheme of SCHEMES) {
    const path = join(root, arenaFigurePath(scheme));
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, arenaSvg(shown.name, shown.sheet, scheme));
  }
  const apart = publishedArena(root, 'apart')?.sheet ?? null;
  await fillMarkers(join(root, 'README.md'), ARENA_MARKERS, arenaReadme(shown.sheet, apart));
  await fillMarkers(join(root, ARENA_PAGE), ARENA_MARKERS, arenaDocs(shown.name, shown.sheet));
  for (const name of FURTHER_SHEETS) {
    const further = publishedArena(root, name);
    if (further) await fillMarkers(join(root, ARENA_PAGE), sheetMarkers(name), arenaDocs(name, further.sheet));
  }
  return true;
}

/**
 * Writes those parts of the page of findings whose series are all given, if the page has their markers; returns whether it wrote any. A
 * part with only some of its series would lose the others.
 */
export async function writeSummary(root: string, sheets: ReadonlyMap<SeriesId, SeriesSheet>): Promise<boolean> {
  let isFilled = false;
  for (const { markers, series } of FINDINGS_PARTS.filter((part) => part.series.every((id) => sheets.has(id)))) {
    const own = new Map(series.map((id) => [id, sheets.get(id)!] as const));
    isFilled = (await fillMarkers(join(root, FINDINGS_PAGE), markers, findingsSummary(own))) || isFilled;
  }
  if (SERIES_IDS.every((id) => sheets.has(id)))
    isFilled = (await fillMarkers(join(root, FINDINGS_PAGE), AGE_MARKERS, agesSummary(sheets.values()))) || isFilled;
  return isFilled;
}

/** Writes the front page of the findings, its pictures, and its parts of the docs; returns the number of bytes. */
export async function writeFront(root: string, front: Front): Promise<number> {
  const bytes = await writePublic(root, FRONT_PATH, frontText(front));
  for (const [i, { picture }] of front.sentences.entries())
    await writeWhole(join(root, tenFigurePath(i + 1)), barsSvg(picture.title, picture.bars));
  await fillMarkers(join(root, FINDINGS_PAGE), TEN_MARKERS, tenLines(front));
  await fillMarkers(join(root, FINDINGS_PAGE), TABLE_MARKERS, tableLines(front));
  await fillMarkers(join(root, ELSEWHERE_PAGE), ELSEWHERE_MARKERS, elsewhereLines(front));
  return bytes;
}

/** Pages of the docs that show a headline with its figure. */
export const HEADLINE_PAGES = [
  ...['projected-grpo', 'cat', 'exit', 'characters', 'agents', 'lookup'].map((name) => `docs/explanation/${name}.md`),
  'docs/instructions.md',
];

/** The headline's lines on one of these pages. */
export const headlineOn = (page: string, headline: EnvironmentHeadline): string[] =>
  headlineSection(headline, '../'.repeat(page.split('/').length - 2));

/** Writes the figures, and their sections on these pages. */
export async function writeFigures(root: string, headlines: readonly EnvironmentHeadline[]): Promise<void> {
  for (const headline of headlines) {
    await writeWhole(join(root, figurePath(headline.environment)), headlineSvg(headline));
    for (const page of HEADLINE_PAGES)
      await fillMarkers(join(root, page), headlineMarkers(headline.environment), headlineOn(page, headline));
  }
}

/** Writes README's lines on all series, which are also at the start of the overview page; returns whether README has the markers. */
export async function writeReadme(
  root: string,
  headlines: readonly EnvironmentHeadline[],
  sheets: ReadonlyMap<SeriesId, SeriesSheet>,
): Promise<boolean> {
  const lines = headlineLines(headlines, sheets);
  await fillMarkers(join(root, OVERVIEW_PAGE), HEADLINE_MARKERS, withDocsLinks(lines));
  return fillMarkers(join(root, 'README.md'), HEADLINE_MARKERS, lines);
}

/** README's links, rewritten for a page in the docs' folder. */
export const withDocsLinks = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll('](docs/', ']('));

async function fillMarkers(path: string, markers: Markers, lines: readonly string[]): Promise<boolean> {
  const filled = filledIn(await readFile(path, 'utf8').catch(() => ''), markers, lines);
  if (filled !== null) await writeWhole(path, filled);
  return filled !== null;
}

/** The published sheet of a series, unpacked. */
export async function publishedSheet(root: string, series: SeriesId): Promise<string> {
  return gunzipSync(await readFile(join(resultsFolder(root), sheetName(series)))).toString('utf8');
}
