// A question with its answer, in the format of the published sheet (findings/sheet.ts).
import type { ShownQuestion } from '../../src/findings/sheet.ts';
import { makersOf, openingsOf } from './openings.ts';
import { type Question, wordsOf } from './question.ts';
import type { Judgement, LabRun } from './types.ts';

const NOT_WHOLE = 'Not run, or not whole: its rule requires rows that are not published.';

/** Shown for a question without rows. */
const NOT_RUN: Omit<Judgement, 'inDocs'> = {
  standing: 'not run',
  word: 'not run',
  verdict: '',
  beside: [],
  n: 0,
  figures: [],
  tables: [],
  chart: null,
  runs: () => [],
};

/**
 * @param judged the rows' answer; null if not all of them are published
 * @param open returns the link of a run
 * Throws RangeError for a verdict without a sentence in `says`.
 */
export async function shownQuestion(
  declared: Question,
  judged: Judgement | null,
  open: (run: LabRun) => Promise<string>,
): Promise<ShownQuestion> {
  const question = wordsOf(declared);
  const { says } = declared;
  const { runs: published, inDocs: __, made: ofRows = [], ...shown } = judged ?? { ...NOT_RUN, inDocs: [] };
  const runs = published();
  const text = judged ? (says[judged.word] ?? says[judged.word.split(':')[0]]) : NOT_WHOLE;
  // A sentence for the verdict's first part alone does not state the whole verdict, so this is added.
  const beside = judged && !(judged.word in says) ? [`By the rule ${judged.word}.`, ...shown.beside] : shown.beside;
  if (text === undefined) throw new RangeError(`${question.id}: nothing is said of the verdict “${shown.word}”`);
  const made = makersOf(runs.flatMap(({ record }) => record ?? []));
  const openings = await openingsOf(runs, open);
  const origin = judged ? {} : { files: [], commands: [] };
  return {
    ...question,
    ...origin,
    ...shown,
    beside,
    said: text,
    made: [...new Set([...made, ...ofRows])],
    runs: openings,
  };
}
