// Tries another basis on a run's stored steps: sliders for the basis, the diagram of a step split by it, and the performance of the model
// that would be deployed. It can be used wherever the run's steps are shown.
import { useEffect, useState } from 'react';
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import type { TrialEval } from '../../store/charts/trial-lines.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { type TrialRun, trialRuns } from '../../store/runs/basis-trial.ts';
import { publishedRuns } from '../../store/runs/published-steps.ts';
import { useBasisTrial, useBasisTrialActions, useLab } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Choice } from '../parts/Choice.tsx';
import { Problem } from '../parts/Problem.tsx';
import { KeepTrial } from './KeepTrial.tsx';
import { TrialControls } from './TrialControls.tsx';
import { TrialPairs } from './TrialPairs.tsx';
import { TrialCharts, TrialResult } from './TrialResult.tsx';
import './method.css';
import './trial.css';

interface Offered {
  run: TrialRun;
  label: string;
  /** The run's own evaluations of its deployed model. */
  evals: readonly TrialEval[];
}

/** A run without a quarantine deploys the trained model. */
const deployedModel = ({ spec }: { spec: { projection: string } }) =>
  spec.projection === 'route' ? 'deployed' : 'total';

/** Used for the stored runs of an experiment. */
export function TryBasisOfRuns({ view }: { view: ExperimentView }) {
  const offered = trialRuns(view).map((record): Offered => {
    const { id, spec, evals } = record;
    const model = deployedModel(record);
    return {
      run: { id, spec, experimentId: view.id, source: async () => ({ kind: 'kept', runId: id }) },
      label: `${ARMS[spec.arm].label}, seed ${spec.seed}`,
      evals: evals
        .filter((row) => row.model === model)
        .map(({ step, kind, all }) => ({ step, kind, n: all.n, figures: all.figures })),
    };
  });
  return <TryBasis offered={offered} />;
}

/** Used for the runs of a published demo. */
export function TryBasisOfDemo({ demo }: { demo: PublishedDemo }) {
  const offered = publishedRuns(demo, document.baseURI).map(({ path, spec, source }): Offered => {
    const { arm, seed } = spec;
    const evals = demo.runs.find((run) => run.arm === arm && run.seed === seed)?.evals ?? [];
    const model = deployedModel({ spec });
    return {
      run: { id: path, spec, experimentId: null, source },
      label: `${ARMS[arm].label}, seed ${seed}`,
      evals: evals.filter((row) => row.model === model),
    };
  });
  return <TryBasis offered={offered} />;
}

function TryBasis({ offered }: { offered: readonly Offered[] }) {
  const trial = useBasisTrialActions();
  const [chosen, choose] = useState<string | null>(null);
  // A run with a quarantine of its own comes first.
  const first = offered.find(({ run }) => run.spec.projection === 'route') ?? offered[0];
  const { run, evals } = offered.find((one) => one.run.id === chosen) ?? first ?? { run: null, evals: [] };
  const id = run?.id ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run is known by its id
  useEffect(() => {
    if (run) trial.show(run);
  }, [trial, id]);
  const isShown = useBasisTrial((state) => id !== null && state.run?.id === id);
  if (!run || !isShown) return null;
  return (
    <section className="method trial" aria-label="Try another basis">
      <header className="method-head">
        <h3>Try another basis</h3>
        <p className="muted note">
          The run’s kept steps, split anew. Its later steps were sampled under its own settings.
          {run.spec.refreshEvery > 0 ? ' Here the basis stays that of the untrained model.' : ''}
        </p>
        {offered.length > 1 ? (
          <Choice
            label="Run"
            value={run.id}
            options={offered.map((one) => [one.run.id, one.label] as const)}
            onChange={choose}
          />
        ) : null}
      </header>
      <Trial run={run} evals={evals} />
    </section>
  );
}

function Trial({ run, evals }: Pick<Offered, 'run' | 'evals'>) {
  const trial = useBasisTrialActions();
  const busy = useLab((state) => state.busy);
  const ready = useLab((state) => state.connection.status === 'ready');
  const { report, doing, problem } = useBasisTrial((state) => state);
  return (
    <>
      <div className="trial-body">
        <fieldset className="trial-controls" disabled={!ready}>
          <legend className="unseen">The basis</legend>
          <TrialControls spec={run.spec} />
        </fieldset>
        {report ? (
          <TrialResult environment={run.spec.environment} evals={evals} />
        ) : (
          <div className="trial-start">
            {doing ? (
              <p className="muted" role="status">
                {doing.what} …
              </p>
            ) : (
              <Button
                icon="play"
                label="Split its steps here"
                isLarge
                tone="primary"
                disabled={!ready}
                onClick={() => void trial.start()}
              />
            )}
            {busy ? <p className="muted">A run is training: it is answered between two of its steps.</p> : null}
          </div>
        )}
      </div>
      <TrialCharts environment={run.spec.environment} evals={evals} />
      <Problem problem={problem} />
      {report ? <TrialPairs isDisabled={!ready} /> : null}
      {report && run.experimentId !== null ? <KeepTrial spec={run.spec} isDisabled={!ready || busy} /> : null}
    </>
  );
}
