// Whether each question's rule is older than its rows: compares its registration with the dates in the files that it reads.

import type { Age } from '../../src/findings/age.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { ageOf, datesOf, factsOf, fingerprintOf, type RowDates } from './age.ts';
import type { Question } from './question.ts';
import { PUBLICATIONS, REGISTRATIONS } from './registrations.ts';
import type { Rows } from './types.ts';

type AgedQuestion = Pick<Question, 'id' | 'rule'>;

/** Age relative to given rows instead of the question's own files. */
export const ageOfRows = ({ id, rule }: AgedQuestion, files: readonly RowDates[]): Age | null =>
  ageOf(REGISTRATIONS[id], fingerprintOf(factsOf(rule)), files);

export const ageOfFiles = (question: AgedQuestion & Pick<Question, 'files'>, rows: Rows): Age | null =>
  ageOfRows(
    question,
    question.files.map((file) => datesOfFile(file, rows)),
  );

/** A file of runs is one JSON value; other files have one row per line. */
function datesOfFile(file: string, rows: Pick<Rows, 'lines' | 'runs'>): RowDates {
  const known = datesOf(file.endsWith('.jsonl.gz') ? rows.lines(file) : rows.runs(file));
  const published = PUBLICATIONS[file];
  return published ? { ...known, publishedBy: Date.parse(published.at) } : known;
}

const HEADS: Readonly<Record<Age['status'], string>> = {
  before: 'The rule was registered before the first row',
  'partly younger': 'Partly post hoc: the rule is younger than some of the rows',
  younger: 'Post hoc: the rule is younger than all of the rows',
  undated: 'The rule has a date, and rows carry none',
  unknown: 'The history does not tell when the rule was written',
};

/** Number and list of the questions of each age. */
export function agesSummary(sheets: Iterable<SeriesSheet>): string[] {
  const all = [...sheets].flatMap(({ questions }) => questions);
  return Object.entries(HEADS).flatMap(([status, head]) => {
    const ids = all.filter(({ age }) => age?.status === status).map(({ id }) => id);
    return ids.length > 0 ? [`- **${head}**: ${ids.length} of ${all.length} entries. ${ids.join(', ')}.`] : [];
  });
}
