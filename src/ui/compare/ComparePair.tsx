// One comparison: refused with its reasons, or the table paired by seed.
import { Fragment } from 'react';
import type { Cell } from '../../experiments/analysis/compare.ts';
import type { ComparedGroup, ComparedRow, Comparison } from '../../experiments/analysis/compare-runs.ts';
import { toCsv } from '../../lib/csv.ts';
import { percent, points } from '../../lib/numbers.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { Section } from '../parts/Section.tsx';
import { Spread } from '../parts/Spread.tsx';
import { TableBox } from '../parts/TableBox.tsx';

interface PairProps {
  base: ComparedGroup;
  other: ComparedGroup;
  comparison: Comparison;
}

export function Pair({ base, other, comparison }: PairProps) {
  const id = `pair-${other.id.replaceAll(/[^\w-]/g, '-')}`;
  if (!comparison.allowed)
    return (
      <Section id={id} title={`${other.label} against ${base.label}`}>
        <div className="callout bad" data-testid="refused">
          <p>
            <b>Not compared.</b>
          </p>
          <ul className="compare-reasons">
            {comparison.refusals.map(({ rule, message, remedy }) => (
              <li key={`${rule}${message}`}>
                {message} <span className="muted">{remedy}</span>
              </li>
            ))}
          </ul>
        </div>
      </Section>
    );
  const { n, differences, notes, rows } = comparison;
  return (
    <Section
      id={id}
      title={`${other.label} against ${base.label}`}
      lead={`n = ${n} ${n === 1 ? 'seed' : 'seeds'}, paired. What differs: ${differences.join('; ') || 'nothing that matters'}.`}
      actions={<DownloadButton label="CSV" file="comparison.csv" text={() => pairCsv(rows)} />}
    >
      {notes.length > 0 ? (
        <ul className="verdicts compare-notes" aria-label="Caveats">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      <PairTable rows={rows} />
    </Section>
  );
}

function PairTable({ rows }: { rows: readonly ComparedRow[] }) {
  const seeds = rows[0].pairs.map(({ seed }) => seed);
  return (
    <TableBox label="Paired comparison">
      <table className="result compare">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">n</th>
            <th scope="col" title="Mean ± sd over seeds">
              reference
            </th>
            <th scope="col" title="Mean ± sd over seeds">
              compared
            </th>
            <th scope="col" title="Percentage points, mean of the differences seed by seed ± their sd">
              Δ
            </th>
            <th scope="col" title="95% percentile bootstrap over the seeds, 10,000 resamples">
              95% interval
            </th>
            {seeds.map((seed) => (
              <Fragment key={seed}>
                <th scope="col" title={`Reference → this, at seed ${seed}`}>
                  seed {seed}
                </th>
              </Fragment>
            ))}
            <th scope="col" className="verdict">
              Verdict
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{row.label}</th>
              <td className="num">{row.pairs.length}</td>
              <td className="num">
                <Mean of={row.reference} />
              </td>
              <td className="num">
                <Mean of={row.other} />
              </td>
              <td className="num">
                {row.delta ? <Spread text={<b>{points(row.delta.mean)}</b>} sd={row.delta.sd} /> : '–'}
              </td>
              <td className="num">
                {row.delta?.interval ? `${points(row.delta.interval.low)} to ${points(row.delta.interval.high)}` : '–'}
              </td>
              {row.pairs.map(({ seed, reference, other }) => (
                <td key={seed} className="num">
                  {percent(reference)} → {percent(other)}
                </td>
              ))}
              <td className="verdict">{reading(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function Mean({ of }: { of: Cell | null }) {
  return of ? <Spread text={percent(of.mean)} sd={of.sd} /> : <span className="muted">–</span>;
}

function reading({ delta, isNull, pairs }: ComparedRow): string {
  if (!delta) return 'not measured for one of the two';
  if (isNull === null)
    return pairs.length === 1 ? 'one seed: no spread to judge it by' : 'two seeds: too few to judge it by';
  return isNull
    ? 'null: inside the reference’s spread, or its own standard error'
    : 'beyond the reference’s spread over seeds';
}

function pairCsv(rows: readonly ComparedRow[]): string {
  const seeds = rows[0].pairs.map(({ seed }) => seed);
  return toCsv(
    [
      ...['measure', 'n', 'reference', 'reference_sd', 'this', 'this_sd', 'delta', 'delta_sd', 'low95', 'high95'],
      ...seeds.flatMap((seed) => [`reference_${seed}`, `this_${seed}`]),
    ],
    rows.map((row) => [
      row.label,
      row.pairs.length,
      row.reference?.mean,
      row.reference?.sd,
      row.other?.mean,
      row.other?.sd,
      row.delta?.mean,
      row.delta?.sd,
      row.delta?.interval?.low,
      row.delta?.interval?.high,
      ...row.pairs.flatMap(({ reference, other }) => [reference, other]),
    ]),
  );
}
