// The study's results as text (docs/results.md, the command line): for each question its hypothesis, table, verdict, and the
// reference's result beside it; first of all which of the reference's findings replicate. Every figure comes from the runs,
// every sentence from a rule; what has not been run says so.
import type { Cell } from '../compare.ts';
import type { FigureComparison } from '../statistics-compare.ts';
import { type H1Card, h1Card } from '../statistics-h1.ts';
import { ALPHA } from '../statistics-verdict.ts';
import { shortNumber } from '../statistics-words.ts';
import { type FinishedRuns, type QuestionResult, resultOf, type StudyRun } from './figures.ts';
import { figureOf } from './judge.ts';
import type { StudyScope } from './plan.ts';
import type { CellFigures, Question, Standing, Verdict } from './types.ts';

/** Of the results given; H1 from Q2's vanilla and erase and Q12's controls, where those questions are among them. */
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
  questions: readonly Question[],
  runs: FinishedRuns,
  scope: StudyScope = {},
): QuestionResult[] {
  return questions.map((question) => resultOf(question, runs, scope));
}

/** The whole page. `about`: lines on where the runs come from. */
export function reportMarkdown(results: readonly QuestionResult[], about: readonly string[]): string {
  const h1 = h1Of(results);
  return [
    '# Results of the study',
    '',
    ...about,
    '',
    ...summary(results),
    ...(h1 ? h1Section(h1) : []),
    ...results.flatMap(questionMarkdown),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

const STANDINGS: readonly (readonly [Standing, string])[] = [
  ['replicates', 'Replicate here'],
  ['does not replicate', 'Do not replicate here'],
  ['undecided', 'Stay undecided'],
  ['not run', 'Not run'],
];

/** Which of the reference's findings hold on the embedded model, and what is new. */
export function summary(results: readonly QuestionResult[]): string[] {
  const told = results.filter(({ question }) => question.reference !== null);
  const lines = ['## The reference’s findings on the embedded model', ''];
  for (const [standing, title] of STANDINGS) {
    const own = told.filter(({ verdict }) => verdict.standing === standing);
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
  return lines;
}

/** What a standing rests on. */
const seedsOf = ({ n }: Verdict): string => (n ? ` (n = ${n})` : '');
/** The verdict in one sentence: what becomes of the hypothesis; without that, why there is nothing to say of it. */
export const headline = ({ answer, sentences }: Verdict): string => answer?.sentence ?? sentences[0] ?? '';
/** What stands behind it. */
export const behind = ({ answer, sentences }: Verdict): readonly string[] => (answer ? sentences : sentences.slice(1));

function h1Section(card: H1Card): string[] {
  return [
    '## H1, preregistered',
    '',
    'Erase lowers hack by at least 30 points at solve within ±10 points of vanilla.',
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
    `**Hypothesis.** ${question.hypothesis}  `,
    `**Falsified by.** ${question.falsified}  `,
    `**Reference.** ${question.reference ?? 'Not asked there.'}`,
    '',
    `**Verdict (${verdict.standing}${verdict.n ? `, n = ${verdict.n}` : ''}).** ${headline(verdict)}`,
    '',
    ...(behind(verdict).length > 0 ? [`**Figures.** ${behind(verdict).join(' ')}`, ''] : []),
    ...(done < planned
      ? [
          `_${done === 0 ? `Not run: 0 of ${planned} lines × seeds` : `${done} of ${planned} lines × seeds are run`}._`,
          '',
        ]
      : []),
    ...(done === 0 ? [] : table(result)),
    '',
    ...[...question.notes, ...notes].map((note) => `- ${note}`),
    '',
  ];
}

const HEAD = [
  'model',
  'n',
  'hack',
  'solve',
  'hack, last 5',
  'Δhack (95% t; bootstrap)',
  'p (least); Holm; t',
  'Δsolve (95% t)',
  'could show',
  'reference',
] as const;

function table({ figures, question }: QuestionResult): string[] {
  const rows = question.cells.flatMap(({ id }) => {
    const cell = figures.get(id);
    return cell ? [rowOf(cell, figures.get(cell.cell.against ?? ''))] : [];
  });
  return [HEAD, HEAD.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map(
    (row) => `| ${row.map((text) => text || '–').join(' | ')} |`,
  );
}

function rowOf(figures: CellFigures, against: CellFigures | undefined): string[] {
  const { cell, statistics, hack, solve, comparison } = figures;
  const { n } = statistics;
  const label = cell.note ? `${cell.label} (${cell.note})` : cell.label;
  if (n === 0)
    return [label, `0 of ${cell.seeds.length}`, 'not run', ...Array(HEAD.length - 4).fill(''), cell.reference ?? ''];
  const deltaHack = comparison?.figures[figureOf(cell, 'hack').id] ?? null;
  const deltaSolve = comparison?.figures[figureOf(cell, 'solve').id] ?? null;
  const confound = (comparison?.knobs.length ?? 0) > 1 ? ', confounded' : '';
  const versus = against && against.cell.id !== 'vanilla' && deltaHack ? ` vs ${against.cell.label}` : '';
  return [
    label,
    // The untrained base has no seed: every run evaluates the same model.
    n < cell.seeds.length && cell.model !== 'base' ? `${n} of ${cell.seeds.length}` : String(n),
    rate(hack),
    rate(solve),
    cell.model === 'total' ? rate(statistics.last5Hack) : '',
    deltaHack ? `${delta(deltaHack)}${versus}${confound}` : '',
    deltaHack ? tests(deltaHack) : '',
    deltaSolve ? delta(deltaSolve, false) : '',
    deltaHack?.smallestEffect ? points(deltaHack.smallestEffect) : '',
    cell.reference ?? '',
  ];
}

const minus = (text: string): string => text.replace('-', '−');
const points = (share: number): string => minus((100 * share).toFixed(1)).replace(/^−0\.0$/, '0.0');

function rate(cell: Cell | null): string {
  if (!cell) return '–';
  return points(cell.mean) + (cell.sd === null ? '' : ` ± ${points(cell.sd)}`);
}

function delta({ delta: { mean }, t, bootstrap }: FigureComparison, withBootstrap = true): string {
  if (!t) return points(mean);
  const interval = `${points(t.interval.low)} to ${points(t.interval.high)}`;
  const other = withBootstrap && bootstrap ? `; ${points(bootstrap.low)} to ${points(bootstrap.high)}` : '';
  return `${points(mean)} (${interval}${other})`;
}

function tests({ signFlip, adjusted, n }: FigureComparison): string {
  if (n < 2) return '';
  const own = `${shortNumber(signFlip.p)} (${shortNumber(signFlip.smallest)})`;
  if (!adjusted) return own;
  // Where no sign-flip p can reach .05 it is the paired t's, after Holm too, that decides.
  const byT = adjusted.smallest > ALPHA ? `; t ${shortNumber(adjusted.tP)}` : '';
  return `${own}; ${shortNumber(adjusted.p)}${byT}`;
}

/** Where finished runs come from: devices, versions, models; one line each. */
export function provenance(runs: Iterable<StudyRun>): string[] {
  const records = [...runs].map(({ record }) => record);
  if (records.length === 0) return ['No run has been published.'];
  const among = (value: (record: (typeof records)[number]) => string) =>
    [...new Set(records.map(value))].sort().join('; ');
  return [
    `${records.length} runs. Device: ${among(({ device }) => device)}. Lab version: ${among(({ appVersion }) => appVersion)}. Model: ${among(({ spec, modelSha256 }) => `${spec.model} ${modelSha256.slice(0, 12)}`)}.`,
  ];
}
