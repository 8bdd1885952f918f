// What stands under Watch before anything has run here: the finished demo of the chosen world, as it is published, plainly marked as
// made elsewhere, with the way to run it.
import { lazy, Suspense, useState } from 'react';
import type { PublishedDemo } from '../../experiments/reading/demo.ts';
import { headlineOf } from '../../experiments/reading/headline.ts';
import { environmentOf, resolveRuns } from '../../experiments/spec/spec.ts';
import { headlinesOf } from '../../experiments/worlds/of-run.ts';
import { demoLines, demoSteps } from '../../store/charts/demo-lines.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { LineChart } from './LineChart.tsx';

const ResultTable = lazy(async () => ({ default: (await import('../inspect/ResultTable.tsx')).ResultTable }));

export function Published({ demo }: { demo: PublishedDemo }) {
  const lab = useLabActions();
  const isReady = useLab(({ connection }) => connection.status === 'ready');
  const busy = useLab((state) => state.busy);
  const device = useLab((state) => state.draft.device);
  const [hasTable, setTable] = useState(false);
  const { spec, table } = demo;
  const environment = environmentOf(spec);
  // What evaluations alone measure has no line of the training.
  const drawn = headlinesOf(environment).filter(({ measured }) => measured !== 'evaluation');
  const charts = drawn.map((info) => ({ info, lines: demoLines(demo, info.id) }));
  const steps = demoSteps(demo);
  const headline = headlineOf(table, environment);

  function run(): void {
    lab.fill({ ...spec, device });
    void lab.start();
    goTo('watch');
  }

  return (
    <section className="published" aria-label="Published run">
      <p className="published-mark">
        <span className="tag accent">Published run</span> of this demo: {spec.seeds.length === 1 ? 'seed' : 'seeds'}{' '}
        {spec.seeds.join(', ')}, {steps} steps, {demo.device}; not made in this browser.
      </p>
      {headline ? <p className="headline">{headline}.</p> : null}
      <div className="published-charts">
        {charts.map(({ info, lines }) => (
          <figure key={info.id}>
            <figcaption>
              <h3>{info.label}</h3>
              <p>{info.about}</p>
            </figcaption>
            <LineChart lines={lines} steps={steps} label={inWords(info.label, lines)} />
          </figure>
        ))}
      </div>
      <ul className="legend" aria-label="Lines of the published run">
        {charts[0].lines.map((line) => (
          <li key={line.id}>
            <Swatch entry={line} />
            <span>{line.label}</span>
          </li>
        ))}
      </ul>
      <p className="muted note">
        Lines: rollouts of training, smoothed; the headline is the final evaluation.
        {charts[0].lines.some(({ isSparse }) => isSparse) ? ' Marks: the deployed model, evaluated on the way.' : ''}
      </p>
      <div className="published-tools">
        <button type="button" className="btn primary" disabled={!isReady || busy} onClick={run}>
          <Icon name="play" />
          Run it yourself
        </button>
        {isReady ? null : <span className="muted">The model is loading behind it.</span>}
      </div>
      <details className="fold table-fold" onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>Its table</summary>
        {hasTable ? (
          <Suspense fallback={<p className="muted">Loading …</p>}>
            <ResultTable
              table={table}
              environment={environment}
              runs={resolveRuns(spec).map((planned) => ({ spec: planned }))}
            />
          </Suspense>
        ) : null}
      </details>
    </section>
  );
}

/** First and last point of every line. */
function inWords(label: string, lines: ReturnType<typeof demoLines>): string {
  const share = (y: number | undefined) => (y === undefined ? 'nothing' : `${Math.round(100 * y)}%`);
  return `${label}. ${lines.map((line) => `${line.label}: from ${share(line.points[0]?.y)} to ${share(line.points.at(-1)?.y)}`).join('; ')}.`;
}
