// The final table and its verdicts: every model evaluated on the same unseen problems, the untrained base among them.
import { type ReactNode, useMemo } from 'react';
import type { RunRecord, TableRow } from '../../experiments/events.ts';
import { experimentJson, stepsCsv, tableCsv } from '../../store/download.ts';
import { decimal, percent, points } from '../../store/format.ts';
import type { GlossaryId } from '../../store/glossary.ts';
import { shownView } from '../../store/lab-state.ts';
import { isMain, tableLooks } from '../../store/table-looks.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab } from '../lab-context.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { ShareLinkButton } from '../share/ShareLinkButton.tsx';
import { RouteAgain } from './RouteAgain.tsx';

type Measure = { mean: number; sd: number | null } | null;

interface Column {
  name: string;
  title: string;
  help: GlossaryId;
  cell: (row: TableRow) => ReactNode;
}

const COLUMNS: readonly Column[] = [
  { name: 'n', help: 'seeds', title: 'Runs, one per seed', cell: (row) => row.n },
  {
    name: 'hack',
    help: 'hack',
    title: 'Hack on hackable problems, final evaluation',
    cell: (row) => <Share of={row.hack} strong />,
  },
  {
    name: 'solve',
    help: 'solve',
    title: 'Solve on all problems, final evaluation',
    cell: (row) => <Share of={row.solve} strong />,
  },
  {
    name: 'deployed hack',
    help: 'deployed',
    title: 'The same without the quarantine',
    cell: (row) => <Share of={row.deployedHack} strong />,
  },
  {
    name: 'deployed solve',
    help: 'deployed',
    title: 'The same without the quarantine',
    cell: (row) => <Share of={row.deployedSolve} strong />,
  },
  {
    name: 'Δ hack',
    help: 'delta',
    title: 'Percentage points against vanilla, paired by seed',
    cell: (row) => <Delta of={row.deltaHack} />,
  },
  {
    name: 'Δ solve',
    help: 'delta',
    title: 'Percentage points against vanilla, paired by seed',
    cell: (row) => <Delta of={row.deltaSolve} />,
  },
  {
    name: 'last-5 hack',
    help: 'last5',
    title: 'Student rollouts of the last five steps',
    cell: (row) => <Share of={row.last5Hack} />,
  },
  {
    name: 'last-5 solve',
    help: 'last5',
    title: 'Student rollouts of the last five steps',
    cell: (row) => <Share of={row.last5Solve} />,
  },
  {
    name: 'cin_t',
    help: 'cinTeacher',
    title: 'Overlap of the teacher’s gradient with the basis',
    cell: (row) => decimal(row.cinTeacher),
  },
  {
    name: 'cout_update',
    help: 'coutUpdate',
    title: 'Overlap of the deployed knob’s step; ≈ 0 under update is an identity, not evidence',
    cell: (row) => decimal(row.coutUpdate),
  },
];

export function Results() {
  const view = useLab(shownView);
  const result = view?.result;
  const name = view ? `projected-grpo-${view.spec.preset}-${view.id.slice(0, 8)}` : '';
  return (
    <Section
      id="results"
      title="Result"
      lead="Final evaluation: one set of unseen problems and one stream of random numbers for every model."
      actions={
        view && view.runs.length > 0 ? (
          <>
            {result ? <ShareLinkButton name="this experiment and its results" /> : null}
            <DownloadButton
              label="JSON"
              file={`${name}.json`}
              type="application/json"
              text={() => experimentJson(view)}
            />
            <DownloadButton
              label="Steps CSV"
              file={`${name}-steps.csv`}
              type="text/csv"
              text={() => stepsCsv(view.runs)}
            />
            {result ? (
              <DownloadButton
                label="Table CSV"
                file={`${name}-table.csv`}
                type="text/csv"
                text={() => tableCsv(result.table)}
              />
            ) : null}
          </>
        ) : null
      }
    >
      {result ? (
        <>
          <ResultTable table={result.table} runs={result.runs} />
          <ul className="verdicts" aria-label="Verdicts">
            {result.verdicts.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <RouteAgain />
        </>
      ) : (
        <Empty title="No table yet">
          <p>
            It appears when every run has ended: the untrained base, each arm, each deployed model and its controls,
            with the difference to vanilla paired by seed. A delta inside the seeds’ own spread is called null.
          </p>
        </Empty>
      )}
    </Section>
  );
}

function ResultTable({ table, runs }: { table: readonly TableRow[]; runs: readonly RunRecord[] }) {
  const looks = useMemo(() => tableLooks(table, runs), [table, runs]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label="Result table" tabIndex={0}>
      <table className="result">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {COLUMNS.map((column) => (
              <th key={column.name} scope="col" title={column.title}>
                <span className="column-name">
                  {column.name} <MetricHelp id={column.help} name={column.name} />
                </span>
              </th>
            ))}
            <th scope="col" className="verdict">
              Verdict
            </th>
          </tr>
        </thead>
        <tbody>
          {table.map((row, i) => (
            <tr key={`${row.arm}/${row.model}/${row.label}`} className={rowClass(row)}>
              <th scope="row">
                <span className="row-name">
                  <Swatch entry={{ style: looks[i] }} />
                  {row.label}
                </span>
              </th>
              {COLUMNS.map((column) => (
                <td key={column.name} className="num">
                  {column.cell(row)}
                </td>
              ))}
              <td className="verdict">{row.verdict}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Controls stand back behind the arms themselves. */
function rowClass(row: TableRow): string {
  if (row.model === 'base') return 'base';
  return isMain(row) ? 'main' : 'control';
}

function Share({ of, strong = false }: { of: Measure; strong?: boolean }) {
  if (!of) return <span className="muted">–</span>;
  return (
    <>
      {strong ? <b>{percent(of.mean)}</b> : percent(of.mean)}
      {of.sd !== null ? <span className="sd"> ± {(100 * of.sd).toFixed(1)}</span> : null}
    </>
  );
}

function Delta({ of }: { of: Measure }) {
  if (!of) return <span className="muted">–</span>;
  return (
    <>
      {points(of.mean)}
      {of.sd !== null ? <span className="sd"> ± {(100 * of.sd).toFixed(1)}</span> : null}
    </>
  );
}
