// The study's results as text (docs/lab-book/projected-grpo.md, the command line): which of the reference's findings replicate, then for
// each question its hypothesis, table, verdict, and the reference's result. Every figure comes from the runs, every sentence from a rule; a
// question without runs says so.

import { plural } from '../../../src/experiments/analysis/words.ts';
import { markdownTable } from '../../../src/experiments/judge/table.ts';
import type { FinishedRun, FinishedRuns } from '../../../src/experiments/runs/finished.ts';
import type { Replication } from '../../../src/findings/question.ts';
import { type H1Card, h1Card } from './h1.ts';
import { runsByCommit } from './made-by.ts';
import type { StudyScope } from './plan.ts';
import { type QuestionResult, resultOf } from './results.ts';
import { table } from './table.ts';
import type { StudyQuestion, StudyVerdict, TableQuestion } from './types.ts';

/** H1 from Q2's vanilla and erase and Q12's controls; null if the results lack those questions. */
export function h1Of(results: readonly QuestionResult[]): H1Card | null {
  const find = (id: string) => results.find(({ question }) => question.id === id)?.figures;
  const [q2, q12] = [find('Q2'), find('Q12')];
  const [vanilla, intervention] = [q2?.get('vanilla'), q2?.get('erase')];
  if (!vanilla || !intervention) return null;
  const controls = (['random', 'permuted', 'random_matched', 'nonhack', 'placebo'] as const).flatMap((kind) => {
    const cell = q12?.get(`erase-${kind}_V`) ?? q12?.get(`erase-${kind.replace('random_matched', 'random_V_matched')}`);
    return cell && cell.statistics.n > 0 ? [{ kind, set: cell.set }] : [];
  });
  return h1Card({ vanilla: vanilla.set, intervention: intervention.set, controls });
}

export function resultsOf(
  questions: readonly StudyQuestion[],
  runs: FinishedRuns,
  scope: StudyScope = {},
): QuestionResult[] {
  return questions.map((question) => resultOf(question, runs, scope));
}

/** The whole page. `about`: lines on the runs' origin; `first`: caveats before any verdict. */
export function reportMarkdown(
  results: readonly QuestionResult[],
  about: readonly string[],
  first: readonly string[] = [],
): string {
  const h1 = h1Of(results);
  return [
    '# Projected GRPO: every table',
    '',
    ...about,
    '',
    ...(first.length > 0 ? ['## What to ask first', '', ...first.map((line) => `- ${line}`), ''] : []),
    ...summary(results),
    ...(h1 ? h1Section(h1) : []),
    ...results.flatMap(questionMarkdown),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

const OUTCOMES: readonly (readonly [Replication, string])[] = [
  ['replicates', 'Replicate here'],
  ['does not replicate', 'Do not replicate here'],
  ['undecided', 'Stay undecided'],
  ['not run', 'Not run'],
];

/** The reference's findings that hold on the embedded model, and those that are new. */
export function summary(results: readonly QuestionResult[]): string[] {
  const ofReference = results.filter(({ question }) => question.reference !== null);
  const lines = ['## The reference’s findings on the embedded model', ''];
  for (const [standing, title] of OUTCOMES) {
    const own = ofReference.filter(({ verdict }) => verdict.standing === standing);
    if (own.length === 0) continue;
    lines.push(`**${title}:**`, '');
    lines.push(...own.map(({ question, verdict }) => `- ${question.id}${seedsOf(verdict)}: ${question.finding}`), '');
  }
  const fresh = results.filter(({ question }) => question.reference === null);
  lines.push('**Asked here for the first time:**', '');
  lines.push(
    ...fresh.map(
      ({ question, verdict }) => `- ${question.id}${seedsOf(verdict)}: ${question.title} ${headline(verdict)}`,
    ),
    '',
  );
  const added = results.flatMap(({ question: { id, addition }, addition: verdict }) =>
    addition && verdict ? [`- ${id}, added${seedsOf(verdict)}: ${addition.title} ${headline(verdict)}`] : [],
  );
  if (added.length > 0) lines.push('**Added to a question later, written down before its runs:**', '', ...added, '');
  return lines;
}

/** Number of seeds behind a verdict. */
const seedsOf = ({ n }: StudyVerdict): string => (n ? ` (n = ${n})` : '');
/** The verdict in one sentence: the outcome of the hypothesis, or why there is none. */
export const headline = ({ answer, sentences }: StudyVerdict): string => answer?.sentence ?? sentences[0] ?? '';
/** Sentences that support the headline. */
export const supportingSentences = ({ answer, sentences }: StudyVerdict): readonly string[] =>
  answer ? sentences : sentences.slice(1);

/** Text of H1; its bars are in h1.ts. */
export const H1_WORDS = {
  hypothesis: 'Erase lowers hack by at least 30 points at solve within ±10 points of vanilla.',
  falsified:
    'Less than 15 points of hack, more than 15 points of solve lost, or a difference within one standard error over seeds.',
  rule: 'Holds: the hypothesis’ bars are met by the means over seeds. Fails: what would falsify it is met. Open: else.',
} as const;

function h1Section(card: H1Card): string[] {
  return [
    '## H1, preregistered',
    '',
    H1_WORDS.hypothesis,
    '',
    `**${card.status}**${card.n ? ` (n = ${card.n})` : ''}`,
    '',
    ...card.sentences.map((sentence) => `- ${sentence}`),
    '',
  ];
}

export function questionMarkdown(result: QuestionResult): string[] {
  const { question, verdict, done, planned, notes } = result;
  return [
    `## ${question.id}: ${question.title}`,
    '',
    ...questionLines(question, 'Verdict', verdict),
    ...(done < planned
      ? [
          `_${done === 0 ? `Not run: 0 of ${planned} rows × seeds` : `${done} of ${planned} rows × seeds are run`}._`,
          '',
        ]
      : []),
    ...(done === 0 ? [] : markdownTable(table(result), true)),
    '',
    ...[...question.notes, ...notes].map((note) => `- ${note}`),
    '',
    ...additionMarkdown(result),
  ];
}

function questionLines(
  { hypothesis, falsified, reference }: TableQuestion,
  name: string,
  verdict: StudyVerdict,
): string[] {
  const figures = supportingSentences(verdict);
  return [
    `**Hypothesis.** ${hypothesis}  `,
    `**Falsified by.** ${falsified}  `,
    // The reference's rates are of its last five training steps, never of a final evaluation.
    reference === null
      ? '**Reference.** Not asked there.'
      : `**Reference (rates of its last 5 training steps).** ${reference}`,
    '',
    `**${name} (${verdict.standing}${verdict.n ? `, n = ${verdict.n}` : ''}).** ${headline(verdict)}`,
    '',
    ...(figures.length > 0 ? [`**Figures.** ${figures.join(' ')}`, ''] : []),
  ];
}

/** A later addition to the same table, with its own verdict. */
function additionMarkdown({ question: { id, addition }, addition: verdict }: QuestionResult): string[] {
  if (!addition || !verdict) return [];
  return [
    `### ${id}, added: ${addition.title}`,
    '',
    ...questionLines(addition, 'Verdict of the addition', verdict),
    ...addition.notes.map((note) => `- ${note}`),
    '',
  ];
}

/** Devices, versions and models of finished runs; one line each. */
export function provenance(runs: Iterable<FinishedRun>): string[] {
  const known = [...runs];
  const records = known.map(({ record }) => record);
  if (records.length === 0) return ['No run has been published.'];
  const among = (value: (record: (typeof records)[number]) => string) =>
    [...new Set(records.map(value))].sort().join('; ');
  return [
    `${records.length} runs. Device: ${among(({ device }) => device)}. Lab version: ${among(({ appVersion }) => appVersion)}. Model: ${among(({ spec, modelSha256 }) => `${spec.model} ${modelSha256.slice(0, 12)}`)}.`,
    ...codeLine(known),
  ];
}

/** `Code: 35 runs by commit 1a2b3c4d5e6f; of 470 the commit was not kept.` Empty if no run has a commit. */
function codeLine(runs: readonly FinishedRun[]): string[] {
  const made = runsByCommit(runs).filter(({ runs: keys }) => keys.length > 0);
  if (made.length === 0) return [];
  const known = made.reduce((sum, { runs: keys }) => sum + keys.length, 0);
  const by = made.map(({ commit, runs: keys }) => `${plural(keys.length, 'run')} by commit ${shortCommit(commit)}`);
  const rest = runs.length - known;
  return [`Code: ${by.join(', ')}${rest > 0 ? `; of ${rest} the commit was not kept` : ''}.`];
}

/** `1a2b3c4d5e6f`, marked if the code had uncommitted changes. */
const shortCommit = (commit: string): string =>
  commit.slice(0, 12) + (commit.endsWith('-dirty') ? ' with changes' : '');
