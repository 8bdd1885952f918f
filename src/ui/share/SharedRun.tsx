// Results in the address: their charts, marked as not run here. One click runs the experiment here and then reports whether the results are
// the same. A lazy chunk, because it imports recharts.
import { useMemo } from 'react';
import type { MetricInfo } from '../../environments/metric-info.ts';
import { cellOf } from '../../experiments/analysis/compare.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { sameExperiment } from '../../experiments/config/spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { isGpuName } from '../../experiments/records/numerics.ts';
import { percent } from '../../lib/numbers.ts';
import type { Reproduction } from '../../share/reproduction.ts';
import type { SharedRun as Run } from '../../share/shared-run.ts';
import type { Share } from '../../share/url.ts';
import { runsOfShare } from '../../store/charts/elsewhere.ts';
import { linesOf } from '../../store/share/conclusion.ts';
import { needsOf } from '../../store/share/needs.ts';
import { HeadlineCharts, useRunCharts } from '../charts/Charts.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import { Spread } from '../parts/Spread.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { Conclusion, Explained } from './Reading.tsx';
import './share.css';

export default function SharedRun() {
  const shared = useLab((state) => state.shared);
  if (!shared) return null;
  return (
    <div className="shared-place">
      <Panel share={shared.share} reproduction={shared.reproduction} />
    </div>
  );
}

function Panel({ share, reproduction }: { share: Share; reproduction: Reproduction | null }) {
  const lab = useLabActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const busy = useLab((state) => state.busy);
  const running = useLab((state) => state.busy && state.live !== null && sameExperiment(state.live.spec, share.spec));
  const environment = environmentOf(share.spec);
  const runs = useMemo(() => runsOfShare(share), [share]);
  const build = useRunCharts(runs);
  const metrics = headlinesOf(environment);
  const { preset, arms, seeds } = share.spec;
  const names = arms.map((arm) => ARMS[arm].label).join(', ');

  return (
    <Section
      id="shared"
      title="Shared run"
      lead={`Preset ${preset}: ${names}; ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}.`}
      actions={
        <>
          <Button
            icon="play"
            label={running ? 'Running here …' : 'Run it here'}
            tone="primary"
            disabled={!ready || running}
            onClick={() => void lab.runShared()}
            title={
              busy
                ? 'Waits in the queue until the running experiment ends, then compares the results'
                : 'Runs the same experiment in this browser and compares the results'
            }
          />
          <Button icon="close" label="Close" onClick={() => void lab.dismissShared()} />
        </>
      }
    >
      <p className="shared-origin">
        <span className={`tag ${reproduction?.identical ? 'good' : 'warn'}`}>
          {reproduction?.identical ? 'shared, and run here' : 'shared, not run here'}
        </span>{' '}
        <Origin share={share} />
      </p>
      <Explained metrics={metrics} />
      <Conclusion runs={share.runs} metrics={metrics} />
      <div role="status">{reproduction ? <Verdict verdict={reproduction} /> : null}</div>
      <Missing share={share} />
      {runs.some(({ rows }) => rows.length > 0) ? (
        <HeadlineCharts place="shared-chart" environment={environment} build={build} missing={noRollouts} />
      ) : (
        <p className="muted">
          The link had no room for trajectories; it can still tell whether a run here is identical.
        </p>
      )}
      <Finals runs={share.runs} metrics={metrics} />
    </Section>
  );
}

const noRollouts = () => 'A link carries no rollouts: run it here to read them.';

/** Files of the sender that the experiment needs and that are not stored in this browser. */
function Missing({ share }: { share: Share }) {
  const ready = useLab((state) => state.connection.status === 'ready');
  const pairSets = useLab((state) => state.pairSets);
  const bases = useLab((state) => state.bases);
  const pools = useLab((state) => state.pools);
  const missing = needsOf(share.spec, { pairSets, bases, pools }).filter(({ here }) => !here);
  if (!ready || missing.length === 0) return null;
  return (
    <p className="callout">
      <b>To run it here, {missing.map(({ what }) => what).join(' and ')} is needed,</b> which a link cannot carry. Ask
      for the file, or for the exported run, and drop it on the page.
    </p>
  );
}

/** Version, model and device of the shared run, and which of version and model differ here. */
function Origin({ share }: { share: Share }) {
  const lab = useLabActions();
  const connection = useLab((state) => state.connection);
  const here = connection.status === 'ready' ? connection.report : null;
  const { appVersion, modelSha256, device } = share;
  // A model with another hash is requested by its own hash, because the lab may embed or store it.
  const isHere = here !== null && modelSha256 === here.model.sha256;
  const asked = here && !isHere ? modelSha256 : null;
  const known = useLoaded(async () => asked && lab.nameModel(asked), asked);
  const hash = modelSha256?.slice(0, 8) ?? '?';
  const name = isHere ? here.model.id : known;
  const other = [
    here && appVersion !== null && appVersion !== here.appVersion ? `the lab here is version ${here.appVersion}` : null,
    here && modelSha256 !== null && modelSha256 !== here.model.sha256
      ? `the model here is ${here.model.id} (${here.model.sha256.slice(0, 8)})`
      : null,
  ].filter((part) => part !== null);
  return (
    <span className="muted">
      Made with lab {appVersion ?? '?'}, model {name ? `${name} (${hash})` : hash}, on{' '}
      {device === null ? 'an unnamed device' : isGpuName(device) ? `WebGPU, ${device}` : device}.
      {other.length > 0 ? <b> Not the same here: {other.join('; ')}.</b> : null}
    </span>
  );
}

function Verdict({ verdict }: { verdict: Reproduction }) {
  if (verdict.identical)
    return (
      <div className="callout good" data-testid="reproduction">
        <p>
          <b>Reproduced, identical.</b> Every step and every evaluation of{' '}
          {verdict.runs === 1 ? 'the run' : `all ${verdict.runs} runs`} came out the same here, to the last bit.
        </p>
      </div>
    );
  const { largest, reasons, differing, runs } = verdict;
  return (
    <div className="callout" data-testid="reproduction">
      <p>
        <b>Run here, not identical:</b> {differing} of {runs} {runs === 1 ? 'run' : 'runs'} differ.{' '}
        {largest
          ? `Largest difference: ${largest.size.toFixed(3)} in ${largest.what} of ${ARMS[largest.arm as keyof typeof ARMS]?.label ?? largest.arm}, seed ${largest.seed}, step ${largest.step}.`
          : 'What the link carries agrees to a thousandth; the difference is finer, or in what it does not carry.'}{' '}
        {reasons.length > 0
          ? `Likely reason: ${reasons.join('; ')}.`
          : 'Device, version and model are the same by name: another driver or browser may round differently.'}
      </p>
    </div>
  );
}

function Finals({ runs, metrics }: { runs: readonly Run[]; metrics: readonly MetricInfo[] }) {
  const lines = linesOf(runs);
  if (lines.length === 0) return null;
  // Deployed models come first, then controls.
  const rows = [...lines].sort((a, b) => Number(a.isControl) - Number(b.isControl));
  return (
    <DataTable
      label="Final evaluation of the shared run"
      rows={rows}
      columns={[
        {
          head: 'Final evaluation',
          cell: ({ label, isControl }) => (
            <>
              {label}
              {isControl ? <span className="muted"> (for comparison)</span> : null}
            </>
          ),
        },
        { head: 'n', title: 'Seeds in the mean', cell: ({ evals }) => evals.size },
        ...metrics.map(({ id, label }) => ({
          head: label.toLowerCase(),
          cell: ({ evals }: (typeof rows)[number]) => {
            const cell = cellOf([...evals.values()].map(({ figures }) => figures[id] ?? null));
            return <Spread text={percent(cell?.mean, 0)} sd={cell?.sd ?? null} />;
          },
        })),
      ]}
    />
  );
}
