// One comparison: the reasons why it is not permitted, or the table paired by seed.
import type { Cell } from '../../experiments/analysis/compare.ts';
import type { ComparedGroup, ComparedRow, Comparison } from '../../experiments/analysis/compare-runs.ts';
import { toCsv } from '../../lib/csv.ts';
import { percent, points } from '../../lib/numbers.ts';
import { DataTable } from '../parts/DataTable.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { Section } from '../parts/Section.tsx';
import { Spread } from '../parts/Spread.tsx';

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
  const overSeeds = 'Mean ± sd over seeds';
  return (
    <DataTable
      label="Paired comparison"
      className="result compare"
      rows={rows}
      columns={[
        { head: 'Measure', cell: ({ label }) => label },
        { head: 'n', cell: ({ pairs }) => pairs.length },
        { head: 'reference', title: overSeeds, cell: ({ reference }) => <Mean of={reference} /> },
        { head: 'compared', title: overSeeds, cell: ({ other }) => <Mean of={other} /> },
        {
          head: 'Δ',
          title: 'Percentage points, mean of the differences seed by seed ± their sd',
          cell: ({ delta }) => (delta ? <Spread text={<b>{points(delta.mean)}</b>} sd={delta.sd} digits={1} /> : '–'),
        },
        {
          head: '95% interval',
          title: '95% percentile bootstrap over the seeds, 10,000 resamples',
          cell: ({ delta }) =>
            delta?.interval ? `${points(delta.interval.low)} to ${points(delta.interval.high)}` : '–',
        },
        ...rows[0].pairs.map(({ seed }, i) => ({
          head: `seed ${seed}`,
          title: `Reference → this, at seed ${seed}`,
          cell: ({ pairs }: ComparedRow) => `${percent(pairs[i].reference, 0)} → ${percent(pairs[i].other, 0)}`,
        })),
        { head: 'Verdict', cell: resultText, className: 'verdict' },
      ]}
    />
  );
}

function Mean({ of }: { of: Cell | null }) {
  return of ? <Spread text={percent(of.mean, 0)} sd={of.sd} /> : <span className="muted">–</span>;
}

function resultText({ delta, isNull, pairs }: ComparedRow): string {
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
