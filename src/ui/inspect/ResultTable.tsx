// The final table and its verdicts: every model evaluated on the same unseen problems, the untrained base among them.
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { columnWords, figureColumns } from '../../experiments/reading/columns.ts';
import type { Cell, RunRecord, TableRow } from '../../experiments/records/events.ts';
import type { GlossaryEntry } from '../../experiments/spec/facet.ts';
import { wordsOf } from '../../experiments/worlds/metric.ts';
import { headlinesOf } from '../../experiments/worlds/of-run.ts';
import { decimal, percent, points } from '../../store/format.ts';
import type { GlossaryId } from '../../store/glossary/glossary.ts';
import { shownView } from '../../store/lab-state.ts';
import { experimentJson, stepsCsv, tableCsv } from '../../store/runs/download.ts';
import { isMain, tableLooks } from '../../store/runs/table-looks.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab } from '../lab-context.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { ShareLinkButton } from '../share/ShareLinkButton.tsx';

const RouteAgain = lazy(async () => ({ default: (await import('./RouteAgain.tsx')).RouteAgain }));

interface Column {
  name: string;
  title: string;
  help: GlossaryId | GlossaryEntry;
  cell: (row: TableRow) => ReactNode;
  /** Whether the row has something to show; a column that no row fills is left out. */
  has: (row: TableRow) => boolean;
}

const PART_HELP = { deployed: 'deployed', delta: 'delta', last5: 'last5' } as const;

function columnsOf(environment: string): readonly Column[] {
  const infos = headlinesOf(environment);
  const figures = figureColumns(infos.map(({ id }) => id)).map(({ metric, part, cell }): Column => {
    const info = infos.find(({ id }) => id === metric)!;
    return {
      ...columnWords(info, part),
      help: part === 'trained' ? wordsOf(info) : PART_HELP[part],
      has: (row) => cell(row) !== null,
      cell: (row) => (part === 'delta' ? <Delta of={cell(row)} /> : <Share of={cell(row)} strong={part !== 'last5'} />),
    };
  });
  return [
    { name: 'n', help: 'seeds', title: 'Runs, one per seed', cell: (row) => row.n, has: () => true },
    ...figures,
    ...OVERLAPS,
  ];
}

const OVERLAPS: readonly Column[] = [
  {
    name: 'cin_t',
    help: 'cinTeacher',
    title: 'Overlap of the teacher’s gradient with the basis',
    cell: (row) => decimal(row.cinTeacher),
    has: (row) => row.cinTeacher !== null,
  },
  {
    name: 'cout_update',
    help: 'coutUpdate',
    title: 'Overlap of the deployed knob’s step; ≈ 0 under update is an identity, not evidence',
    cell: (row) => decimal(row.coutUpdate),
    has: (row) => row.coutUpdate !== null,
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
          <Suspense fallback={null}>
            <RouteAgain />
          </Suspense>
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
  const environment = runs[0]?.spec.environment ?? '';
  const columns = useMemo(() => columnsOf(environment).filter(({ has }) => table.some(has)), [environment, table]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label="Result table" tabIndex={0}>
      <table className="result">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((column) => (
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
              {columns.map((column) => (
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

function Share({ of, strong = false }: { of: Cell | null; strong?: boolean }) {
  if (!of) return <span className="muted">–</span>;
  return (
    <>
      {strong ? <b>{percent(of.mean)}</b> : percent(of.mean)}
      {of.sd !== null ? <span className="sd"> ± {(100 * of.sd).toFixed(1)}</span> : null}
    </>
  );
}

function Delta({ of }: { of: Cell | null }) {
  if (!of) return <span className="muted">–</span>;
  return (
    <>
      {points(of.mean)}
      {of.sd !== null ? <span className="sd"> ± {(100 * of.sd).toFixed(1)}</span> : null}
    </>
  );
}
