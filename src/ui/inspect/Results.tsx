// The result of the shown experiment: its table, the sentences that follow from it, and its files. A lazy chunk, loaded with the first
// experiment.

import { useDeferredValue, useMemo } from 'react';
import { isComplete } from '../../experiments/analysis/compare.ts';
import { heldOutModes } from '../../experiments/analysis/held-out.ts';
import { withPageNames } from '../../experiments/analysis/page-names.ts';
import { tableSoFar } from '../../experiments/analysis/table-so-far.ts';
import { HELD_OUT } from '../../experiments/analysis/words.ts';
import type { ExperimentResult, TableRow } from '../../experiments/records/events.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { shownView } from '../../store/lab-state.ts';
import { experimentJson, stepsCsv, tableCsv } from '../../store/runs/download.ts';
import { useLab } from '../lab-context.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import ResultTable from './ResultTable.tsx';

export default function Results() {
  const view = useDeferredValue(useLab(shownView));
  const result = view?.result;
  const soFar = useMemo(() => (view && !result ? tableSoFar(view.planned, view.runs) : null), [view, result]);
  const table = result?.table ?? soFar?.table;
  const name = view ? `projected-grpo-${view.spec.preset}-${view.id.slice(0, 8)}` : '';
  return (
    <Section
      id="results"
      title="Result"
      lead="Final evaluation: every model gets the same unseen problems and the same random numbers."
      actions={
        view && view.runs.length > 0 ? (
          <>
            <DownloadButton label="JSON" file={`${name}.json`} text={() => experimentJson(view)} />
            <DownloadButton label="Steps CSV" file={`${name}-steps.csv`} text={() => stepsCsv(view.runs)} />
            {table ? (
              <DownloadButton label="Table CSV" file={`${name}-table.csv`} text={() => tableCsv(table)} />
            ) : null}
          </>
        ) : null
      }
    >
      {view && table ? (
        <ResultParts {...{ view, table, result, missing: soFar?.missing ?? [] }} />
      ) : (
        <Empty title="No table yet">
          <p>
            It appears when every arm is evaluated: the untrained base, each arm and each deployed model, with the
            difference to vanilla paired by seed; controls fill in after it. A delta within the vanilla seeds’ sd, or
            one standard error, is called null.
          </p>
        </Empty>
      )}
    </Section>
  );
}

interface ResultPartsProps {
  view: ExperimentView;
  table: readonly TableRow[];
  /** Null while controls are evaluated, or if the run was stopped before they were. */
  result: ExperimentResult | null | undefined;
  /** Names of models without an evaluation. */
  missing: readonly string[];
}

function ResultParts({ view: { status, runs, planned }, table, result, missing }: ResultPartsProps) {
  const heldOut = useMemo(() => (result ? heldOutModes(result.runs.filter(isComplete)) : []), [result]);
  const isStopped = status === 'stopped' || status === 'failed';
  // Held-out modes have a separate table.
  const isShown = (sentence: string) => heldOut.length === 0 || !sentence.startsWith(HELD_OUT);
  return (
    <div aria-busy={!result && !isStopped}>
      <ResultTable
        table={table}
        runs={result?.runs ?? runs}
        environment={planned[0]?.environment ?? ''}
        heldOut={heldOut}
      />
      {missing.length > 0 ? (
        <p className="note" role="status">
          <b>{isStopped ? 'Not evaluated:' : 'Still to be evaluated:'}</b> {missing.join(', ')}.{' '}
          {isStopped ? 'Resume evaluates them.' : 'Stop keeps the table as it is.'}
        </p>
      ) : null}
      {result ? (
        <ul className="verdicts" aria-label="Verdicts">
          {result.verdicts.filter(isShown).map((sentence) => (
            <li key={sentence}>{withPageNames(sentence)}</li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
