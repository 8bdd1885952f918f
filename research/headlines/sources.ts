// All sources of a sentence's figures: published rows, the study's results, the arena's sheets, the published demos, and the entries of the
// sheets, which are judged from rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { demoPath, type PublishedDemo, readDemo } from '../../src/experiments/analysis/demo.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { ArenaSheet, ArenaSheetName } from '../../src/findings/arena/sheet.ts';
import type { HeadlineEstimate } from '../../src/findings/headline.ts';
import type { SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet, ShownQuestion } from '../../src/findings/sheet.ts';
import { publishedRedrawn } from '../draws/published.ts';
import { type Redrawn, runOfDraw } from '../draws/rows.ts';
import { resultsFolder } from '../judge/folder.ts';
import { unpackRuns } from '../judge/pack.ts';
import { headlineRows, publishedArena, publishedRows } from '../judge/publish.ts';
import type { HeadlineRows, Rows } from '../judge/types.ts';
import { runOfCell } from '../series/study/plan.ts';
import { QUESTIONS } from '../series/study/questions/index.ts';
import { type QuestionResult, resultOf } from '../series/study/results.ts';
import { readIndex } from '../series/study/results-index.ts';
import type { QuestionId } from '../series/study/types.ts';

export interface Sources extends HeadlineRows {
  /** A question's entry, and its series. Throws FormatError for an unknown id. */
  entry(id: string): { series: SeriesId; entry: ShownQuestion };
  /** Results of a question of the study, cell by cell. */
  question(id: QuestionId): QuestionResult;
  /** The same with the evaluations of one draw, or their mean (null): for cells whose every run was repeated. */
  questionOfDraw(id: QuestionId, draw: number | null): QuestionResult;
  arena(name: ArenaSheetName): ArenaSheet;
  demo(environment: string): PublishedDemo;
  redrawn: Redrawn;
}

/** @param sheets of all series, judged from the rows or as published */
export function sourcesOf(
  root: string,
  sheets: ReadonlyMap<SeriesId, SeriesSheet>,
  rows: Rows = publishedRows(root),
): Sources {
  const folder = resultsFolder(root);
  const entries = new Map(
    [...sheets].flatMap(([series, { questions }]) => questions.map((entry) => [entry.id, { series, entry }] as const)),
  );
  const once = <T>(make: () => T): (() => T) => {
    let made: { value: T } | null = null;
    return () => {
      made ??= { value: make() };
      return made.value;
    };
  };
  const runs = once(() => {
    const { files } = readIndex(readFileSync(join(folder, 'index.json'), 'utf8'));
    return new Map(
      files.flatMap(({ name }) =>
        unpackRuns(readFileSync(join(folder, name)), name).map((run) => [run.key, run] as const),
      ),
    );
  });
  const results = new Map<QuestionId, QuestionResult>();
  const redrawn = publishedRedrawn(root, rows);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: rows.runs,
    study: headlineRows(root, rows).study,
    entry: (id) => required(entries.get(id), `entry ${id}`),
    question(id) {
      const result = results.get(id) ?? resultOf(studied(id), runs());
      results.set(id, result);
      return result;
    },
    questionOfDraw(id, draw) {
      const all = [...runs()].map(
        ([key, run]) => [key, { ...run, record: runOfDraw(run.record, redrawn.again, draw) }] as const,
      );
      return resultOf(studied(id), new Map(all));
    },
    redrawn,
    arena: (name) => required(publishedArena(root, name), `sheet ${name} of the arena`).sheet,
    demo: (environment) =>
      required(
        readDemo(JSON.parse(readFileSync(join(root, 'public', demoPath(environment)), 'utf8'))),
        `demo of ${environment}`,
      ),
  };
}

const studied = (id: QuestionId) =>
  required(
    QUESTIONS.find((one) => one.id === id),
    `question ${id} of the study`,
  );

/** Runs of a cell of the study, in the order of its seeds; only those in the file. */
export function runsOf(rows: HeadlineRows, file: string, id: QuestionId, cellId: string): RunRecord[] {
  const cell = required(
    studied(id).cells.find((one) => one.id === cellId),
    `line ${cellId} of ${id}`,
  );
  const runs = rows.study(file);
  return cell.seeds.flatMap((seed) => runs.get(runOfCell(cell, seed).key) ?? []);
}

function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined)
    throw new FormatError(`There is no ${what} in public/results.`, 'Publish it first: npm run research -- publish');
  return value;
}

/** An estimate of an entry, by its name. Throws FormatError if the entry has none of that name, or it has no mean. */
export function estimateOf({ entry }: { entry: ShownQuestion }, name: string): HeadlineEstimate {
  const { mean, interval } = required(
    entry.figures.find((figure) => figure.name === name),
    `estimate “${name}” of ${entry.id}`,
  );
  return { name, mean: required(mean, `mean of “${name}” of ${entry.id}`), interval };
}
