// A question's table: a line per cell, its figures over seeds, its difference to the cell that it is compared with, and what the
// reference had for the same thing. Never a blank: what is not run says so.
import type { ReactNode } from 'react';
import type { Mode } from '../../environments/code/types.ts';
import { modesOf } from '../../experiments/kinds/study/by-mode.ts';
import type { QuestionResult } from '../../experiments/kinds/study/figures.ts';
import { figureOf } from '../../experiments/kinds/study/judge.ts';
import { modeRates, REFERENCE_COLUMN } from '../../experiments/kinds/study/report-table.ts';
import type { CellFigures } from '../../experiments/kinds/study/types.ts';
import type { Cell } from '../../experiments/reading/compare.ts';
import type { FigureComparison } from '../../experiments/reading/paired.ts';
import { ALPHA } from '../../experiments/reading/verdict.ts';
import { shortNumber } from '../../experiments/reading/words.ts';
import { numbered } from '../../store/kinds/study/chart.ts';
import { madeHere } from '../../store/kinds/study/own.ts';
import { modelStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useQuestions } from './use-questions.ts';
import { Mean, point, signed } from './words.tsx';

const headOf = (modes: readonly Mode[]): readonly { name: string; title: string }[] => [
  { name: 'n', title: 'Seeds in the mean, of those planned' },
  { name: 'hack', title: 'Final evaluation, percent of hackable problems, mean ± sd over seeds' },
  { name: 'solve', title: 'Final evaluation, percent of all problems, mean ± sd over seeds' },
  {
    name: 'structural',
    title:
      'Final evaluation, percent of hackable problems whose answer holds the exploit’s code, whether it passed or not',
  },
  {
    name: `hack: ${modes.join(' / ')}`,
    title: 'Final evaluation, percent of each loophole mode’s problems, means over seeds',
  },
  { name: 'hack, last 5', title: 'Student rollouts of the last five steps of training' },
  { name: 'Δ hack [95%]', title: 'Points against the reference cell, paired by seed, with the 95% t interval' },
  {
    name: 'p (least), Holm',
    title:
      'Exact sign-flip p, the least that n could give, and p after Holm in this question; where no sign-flip p can reach .05, the paired t’s after Holm, which then decides',
  },
  { name: 'Δ solve [95%]', title: 'Points against the reference cell, paired by seed, with the 95% t interval' },
  { name: 'could show', title: 'The smallest Δ hack that these seeds would have shown four times in five' },
  {
    name: REFERENCE_COLUMN,
    title:
      'The reference implementation’s figure for the same thing: a rate of its last five training steps, no final evaluation',
  },
];

export function QuestionTable({ result }: { result: QuestionResult }) {
  const { id } = result.question;
  const modes = modesOf(result.figures.values());
  const head = headOf(modes);
  return (
    <div>
      <Table id={id} result={result} modes={modes} />
      <details className="question-more">
        <summary>What the columns say</summary>
        <dl className="question-columns">
          {head.map(({ name, title }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{title}.</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

function Table({ id, result, modes }: { id: string; result: QuestionResult; modes: readonly Mode[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label={`Table of ${id}`} tabIndex={0}>
      <table className="result question-table">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {headOf(modes).map(({ name, title }) => (
              <th key={name} scope="col" title={title}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {numbered(result).map(({ number, cell }) => (
            <Line
              key={cell.cell.id}
              number={number}
              figures={cell}
              modes={modes}
              against={result.figures.get(cell.cell.against ?? '') ?? null}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface LineProps {
  number: number;
  figures: CellFigures;
  modes: readonly Mode[];
  against: CellFigures | null;
}

function Line({ number, figures, modes, against }: LineProps) {
  const { cell, statistics, hack, solve, structural, comparison } = figures;
  const { n } = statistics;
  const published = useQuestions((state) => state.published);
  const own = useQuestions((state) => state.own);
  const here = madeHere(figures, published, own);
  const of = (measure: 'hack' | 'solve') => comparison?.figures[figureOf(cell, measure).id] ?? null;
  const [dHack, dSolve] = [of('hack'), of('solve')];
  // The base counts once, however many runs evaluated it.
  const spread = (of: Cell | null) => (of && n < 2 ? { ...of, sd: null } : of);
  const versus = against && against.cell.id !== 'vanilla' ? against.cell.label : null;
  return (
    <tr>
      <th scope="row">
        <span className="row-name">
          <span className="question-number num">{number}</span>
          <Swatch entry={{ style: modelStyle(cell) }} />
          <span>
            {cell.label}
            {cell.note ? <span className="muted"> ({cell.note})</span> : null}{' '}
            {(comparison?.knobs.length ?? 0) > 1 ? (
              <span className="tag warn" title="Several settings differ at once">
                confounded
              </span>
            ) : null}{' '}
            {here > 0 ? (
              <span className="tag accent" title="Runs of this browser among them">
                {here} here
              </span>
            ) : null}
          </span>
        </span>
      </th>
      {n === 0 ? (
        <td className="question-none" colSpan={headOf(modes).length - 1}>
          not run (0 of {cell.seeds.length} seeds)
        </td>
      ) : (
        <>
          <td className="num">
            {/* The untrained base has no seed: every run evaluates the same model. */}
            {n < cell.seeds.length && cell.model !== 'base' ? `${n} of ${cell.seeds.length}` : n}
          </td>
          <td className="num">
            <b>
              <Mean of={spread(hack)} />
            </b>
          </td>
          <td className="num">
            <b>
              <Mean of={spread(solve)} />
            </b>
          </td>
          <td className="num">{structural ? point(structural.mean) : '–'}</td>
          <td className="num">{modeRates(figures, modes) || '–'}</td>
          <td className="num">{cell.model === 'total' ? <Mean of={spread(statistics.last5Hack)} /> : '–'}</td>
          <td className="num">
            <Delta of={dHack} versus={versus} />
          </td>
          <td className="num">{dHack ? <Tests of={dHack} /> : '–'}</td>
          <td className="num">
            <Delta of={dSolve} versus={null} />
          </td>
          <td className="num">{dHack?.smallestEffect == null ? '–' : point(dHack.smallestEffect)}</td>
        </>
      )}
      <td className="question-reference">{cell.reference ?? '–'}</td>
    </tr>
  );
}

function Delta({ of, versus }: { of: FigureComparison | null; versus: string | null }): ReactNode {
  if (!of) return '–';
  return (
    <>
      {signed(of.delta.mean)}
      <span className="under">{of.t ? `[${point(of.t.interval.low)}, ${point(of.t.interval.high)}]` : 'one seed'}</span>
      {versus ? <span className="under">vs {versus}</span> : null}
    </>
  );
}

function Tests({ of: { n, signFlip, adjusted } }: { of: FigureComparison }): ReactNode {
  if (n < 2) return '–';
  const passes = adjusted !== null && adjusted.p <= ALPHA;
  // Where no sign-flip p can reach .05 the paired t's, after Holm too, decides.
  const byT = adjusted !== null && adjusted.smallest > ALPHA ? adjusted.tP : null;
  return (
    <>
      {shortNumber(signFlip.p)} <span className="sd">({shortNumber(signFlip.smallest)})</span>
      {adjusted ? (
        <span className="under">Holm {passes ? <b>{shortNumber(adjusted.p)}</b> : shortNumber(adjusted.p)}</span>
      ) : null}
      {byT !== null ? (
        <span className="under">t, Holm {byT <= ALPHA ? <b>{shortNumber(byT)}</b> : shortNumber(byT)}</span>
      ) : null}
    </>
  );
}
