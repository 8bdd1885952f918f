// A question's table: a line per cell, its figures over seeds, its difference to the cell that it is compared with, and what the
// reference had for the same thing. Never a blank: what is not run says so. A long table folds.
import { type ReactNode, useMemo, useState } from 'react';
import type { Mode } from '../../environments/code/types.ts';
import type { Cell } from '../../experiments/analysis/compare.ts';
import { ALPHA } from '../../experiments/analysis/verdict.ts';
import { shortNumber } from '../../experiments/analysis/words.ts';
import { modeRates, REFERENCE_COLUMN } from '../../experiments/kinds/study/report-table.ts';
import type { SheetDelta, SheetLine } from '../../experiments/kinds/study/sheet.ts';
import type { StudyCell } from '../../experiments/kinds/study/types.ts';
import { lineGroups } from '../../store/kinds/study/groups.ts';
import type { ShownSheet } from '../../store/kinds/study/state.ts';
import { modelStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
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

export function QuestionTable({ sheet }: { sheet: ShownSheet }) {
  const head = headOf(sheet.modes);
  return (
    <div>
      <Table sheet={sheet} />
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

function Table({ sheet }: { sheet: ShownSheet }) {
  const { id } = sheet.question;
  const head = headOf(sheet.modes);
  const groups = useMemo(() => lineGroups(sheet), [sheet]);
  /** The first is read as an example; the others are a click away. */
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([groups[0]?.title ?? '']));
  const isFolding = groups.length > 1;
  const isAll = open.size === groups.length;
  const toggle = (title: string) => {
    const next = new Set(open);
    if (!next.delete(title)) next.add(title);
    setOpen(next);
  };
  return (
    <>
      {isFolding ? (
        <p className="question-fold">
          {sheet.lines.length} lines in {groups.length} parts.{' '}
          <button
            type="button"
            className="btn small"
            onClick={() => setOpen(isAll ? new Set() : new Set(groups.map(({ title }) => title)))}
          >
            {isAll ? 'Fold all' : 'Open all'}
          </button>
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <section className="table-box" aria-label={`Table of ${id}`} tabIndex={0}>
        <table className="result question-table">
          <thead>
            <tr>
              <th scope="col">Model</th>
              {head.map(({ name, title }) => (
                <th key={name} scope="col" title={title}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map(({ title, lines }) => (
            <tbody key={title}>
              {isFolding ? (
                <tr className="question-group">
                  <th scope="rowgroup" colSpan={head.length + 1}>
                    <button type="button" aria-expanded={open.has(title)} onClick={() => toggle(title)}>
                      {title} <span className="muted num">({lines.length})</span>
                    </button>
                  </th>
                </tr>
              ) : null}
              {!isFolding || open.has(title)
                ? lines.map(({ number, line }) => (
                    <Line
                      key={line.cell.id}
                      number={number}
                      line={line}
                      modes={sheet.modes}
                      here={sheet.here.get(line.cell.id) ?? 0}
                      against={sheet.lines.find(({ cell }) => cell.id === line.cell.against)?.cell ?? null}
                    />
                  ))
                : null}
            </tbody>
          ))}
        </table>
      </section>
    </>
  );
}

interface LineProps {
  number: number;
  line: SheetLine;
  modes: readonly Mode[];
  /** Runs of this browser in it. */
  here: number;
  against: StudyCell | null;
}

function Line({ number, line, modes, here, against }: LineProps) {
  const { cell, n, hack, solve, structural, last5, isConfounded, deltaHack, deltaSolve } = line;
  // The base counts once, however many runs evaluated it.
  const spread = (of: Cell | null) => (of && n < 2 ? { ...of, sd: null } : of);
  const versus = against && against.id !== 'vanilla' ? against.label : null;
  return (
    <tr>
      <th scope="row">
        <span className="row-name">
          <span className="question-number num">{number}</span>
          <Swatch entry={{ style: modelStyle(cell) }} />
          <span>
            {cell.label}
            {cell.note ? <span className="muted"> ({cell.note})</span> : null}{' '}
            {isConfounded ? (
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
          <td className="num modes">{modeRates(line, modes) || '–'}</td>
          <td className="num">{last5 ? <Mean of={spread(last5)} /> : '–'}</td>
          <td className="num">
            <Delta of={deltaHack} versus={versus} />
          </td>
          <td className="num">{deltaHack ? <Tests of={deltaHack} /> : '–'}</td>
          <td className="num">
            <Delta of={deltaSolve} versus={null} />
          </td>
          <td className="num">{deltaHack?.smallestEffect == null ? '–' : point(deltaHack.smallestEffect)}</td>
        </>
      )}
      <td className="question-reference">{cell.reference ?? '–'}</td>
    </tr>
  );
}

function Delta({ of, versus }: { of: SheetDelta | null; versus: string | null }): ReactNode {
  if (!of) return '–';
  return (
    <>
      {signed(of.mean)}
      <span className="under">
        {of.interval ? `[${point(of.interval.low)}, ${point(of.interval.high)}]` : 'one seed'}
      </span>
      {versus ? <span className="under">vs {versus}</span> : null}
    </>
  );
}

function Tests({ of: { n, p, least, adjusted } }: { of: SheetDelta }): ReactNode {
  if (n < 2) return '–';
  const passes = adjusted !== null && adjusted.p <= ALPHA;
  // Where no sign-flip p can reach .05 the paired t's, after Holm too, decides.
  const byT = adjusted !== null && adjusted.smallest > ALPHA ? adjusted.tP : null;
  return (
    <>
      {shortNumber(p)} <span className="sd">({shortNumber(least)})</span>
      {adjusted ? (
        <span className="under">Holm {passes ? <b>{shortNumber(adjusted.p)}</b> : shortNumber(adjusted.p)}</span>
      ) : null}
      {byT !== null ? (
        <span className="under">t, Holm {byT <= ALPHA ? <b>{shortNumber(byT)}</b> : shortNumber(byT)}</span>
      ) : null}
    </>
  );
}
