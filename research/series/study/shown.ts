// The study's questions in the format of every series (src/findings/sheet.ts): text, verdict, figures, table and chart. A later addition to
// a question has its own entry beside it; so does H1, which has its own bars.

import type { Estimate, Status } from '../../../src/experiments/judge/estimate.ts';
import { ruleWords } from '../../../src/experiments/judge/rule.ts';
import type { ShownQuestion } from '../../../src/findings/sheet.ts';
import { ruleOf } from './answer.ts';
import { chartOf } from './chart.ts';
import type { H1Card } from './h1.ts';
import { estimateOf } from './judge.ts';
import type { MetricComparison } from './paired.ts';
import { H1_WORDS, headline, supportingSentences } from './report.ts';
import type { QuestionResult } from './results.ts';
import { table } from './table.ts';
import type { QuestionId, StudyVerdict, TableQuestion } from './types.ts';

/** Row files with runs of a question's plan. */
export type FilesOf = (id: QuestionId) => string[];

const statusOf = ({ answer, standing }: StudyVerdict): Status =>
  standing === 'not run' ? 'not run' : (answer?.outcome ?? 'open');

/** The sentence without its status, which is shown separately. */
const verdictSentence = (verdict: StudyVerdict): string =>
  headline(verdict).replace(/^The hypothesis [a-z ]+: (.)/, (_, first: string) => first.toUpperCase());

/** Commands that write the sweeps of these questions' runs, train them and print the verdicts. */
const commandsOf = (ids: string): string[] => [
  `npm run research -- study --question ${ids} --sweeps DIR`,
  'npm run lab -- sweep run DIR/1.sweep.json --out RUNS',
  `npm run research -- study RUNS --question ${ids}`,
];

/** Fields that all entries of the study share. */
function commonFields(id: QuestionId, question: TableQuestion, unit: string, verdict: StudyVerdict, files: FilesOf) {
  const [first = '', ...rest] = supportingSentences(verdict);
  const status = statusOf(verdict);
  return {
    rule: ruleWords(ruleOf(question.clauses, question.falsifier), { names: {}, unit }),
    unit,
    standing: status,
    word: status,
    said: verdictSentence(verdict),
    verdict: first,
    beside: rest,
    n: verdict.n ?? 0,
    figures: verdict.figures,
    files: files(id),
    made: [],
    runs: [],
    commands: commandsOf(id),
  };
}

/** The reference's rates are of its last five training steps, never of a final evaluation. */
const referenceNote = (result: string | null): string | null =>
  result && `${result} (Rates of its last 5 training steps.)`;

export function shownOf(result: QuestionResult, files: FilesOf): ShownQuestion[] {
  const { question, figures, verdict, addition: later, done, planned, notes } = result;
  const { id, title, hypothesis, falsified, addition, unit = 'training seeds', finding } = question;
  const [caveat = '', ...remarks] = [...question.notes, ...notes];
  const own: ShownQuestion = {
    ...commonFields(id, question, unit, verdict, files),
    id,
    title,
    hypothesis,
    falsified,
    caveat,
    remarks,
    section: `${id}: ${title}`,
    reference: { result: referenceNote(question.reference), finding, standing: verdict.standing },
    progress: done === 0 ? '' : `${done === planned ? 'all' : `${done} of`} ${planned} rows × seeds`,
    tables: [table(result)],
    chart: done > 0 ? chartOf(question, figures) : null,
  };
  if (!addition || !later) return [own];
  const [first = '', ...others] = addition.notes;
  return [
    own,
    {
      ...commonFields(id, addition, unit, later, files),
      id: `${id}-added`,
      title: addition.title,
      hypothesis: addition.hypothesis,
      falsified: addition.falsified,
      caveat: first,
      section: `${id}, added: ${addition.title}`,
      remarks: [`Asked of ${id}’s table when its other lines were known, and written down before its runs.`, ...others],
      reference: { result: referenceNote(addition.reference), finding: '', standing: later.standing },
      tables: [table(result, ({ isAdded }) => isAdded === true)],
      chart: null,
    },
  ];
}

const H1_STATUS: Readonly<Record<H1Card['status'], Status>> = {
  supported: 'holds',
  falsified: 'fails',
  undecided: 'open',
  'not run': 'not run',
};

/** A null card means that its questions have no runs. */
export function shownH1(card: H1Card | null, files: FilesOf): ShownQuestion {
  const [text = 'Not run.', first = '', ...rest] = card?.sentences ?? [];
  const status = card ? H1_STATUS[card.status] : 'not run';
  const figure = (name: string, of: MetricComparison | null): Estimate[] => (of ? [estimateOf(name, of)] : []);
  return {
    id: 'H1',
    title: 'Erase lowers hack by 30 points at no cost in solve',
    ...H1_WORDS,
    caveat: '',
    word: status,
    unit: 'training seeds',
    section: 'H1, preregistered',
    standing: status,
    said: text,
    verdict: first,
    beside: rest,
    n: card?.n ?? 0,
    figures: [
      ...figure('hack, erase − vanilla', card?.hack ?? null),
      ...figure('solve, erase − vanilla', card?.solve ?? null),
      ...(card?.controls ?? []).flatMap(({ label, hack }) => figure(`hack, real V − ${label}`, hack)),
    ],
    remarks: card?.notes ?? [],
    tables: [],
    chart: null,
    made: [],
    runs: [],
    files: files('Q2'),
    commands: commandsOf('Q2,Q12'),
  };
}
