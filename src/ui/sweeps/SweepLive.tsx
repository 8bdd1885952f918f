// A running sweep: its workers; the runs that are done, waiting and failed; the speed and time left; and each run with its charts and log.
// Runs that failed three times are listed separately with their errors.
import { runCost } from '../../experiments/runs/cost.ts';
import { duration } from '../../lib/numbers.ts';
import type { SweepRun, SweepWork } from '../../store/sweeps/sweeps.ts';
import { useLab, useLabActions, useSweepActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Fact } from '../parts/Fact.tsx';
import { Section } from '../parts/Section.tsx';
import { openView } from '../parts/view.ts';

const WORDS: Partial<Record<SweepRun['status'], string>> = {
  running: 'at work',
  elsewhere: 'at work in another tab',
  'set apart': 'failed (3 tries)',
};

export function SweepLive({ work }: { work: SweepWork }) {
  const actions = useSweepActions();
  const { runs, made, seconds, isAtWork } = work;
  const of = (...statuses: SweepRun['status'][]) => runs.filter(({ status }) => statuses.includes(status)).length;
  const done = of('done');
  const failed = of('set apart');
  const others = of('elsewhere');
  const workers = [...(of('running') > 0 ? ['this tab'] : []), ...(others > 0 ? [`${others} in other tabs`] : [])];
  const retries = runs.filter(({ failures, status }) => failures.length > 0 && status !== 'set apart').length;
  const costs = new Map(
    work.plan.configurations.flatMap(({ rungs }) => rungs.flat().map(({ key, spec }) => [key, runCost(spec)])),
  );
  const cost = (wanted: (run: SweepRun) => boolean) =>
    runs
      .filter(wanted)
      .reduce(
        (sum, { key, step, of: steps }) => sum + (costs.get(key) ?? 0) * (wanted === isDone ? 1 : 1 - step / steps),
        0,
      );
  const spent = cost(isDone);
  const left = cost(({ status }) => status !== 'done' && status !== 'set apart');
  const madeCost = runs
    .filter((run) => run.seconds > 0 && isDone(run))
    .reduce((sum, { key }) => sum + (costs.get(key) ?? 0), 0);
  const rate = madeCost > 0 ? seconds / madeCost : null;
  return (
    <Section
      id="sweep-live"
      title="Runs"
      lead="Trained one after another in this tab, each as an experiment of its own under Library."
    >
      <div role="status" aria-label="Progress of the sweep">
        <dl className="sweep-facts">
          <Fact name="Done" value={`${done} of ${runs.length}${work.plan.quota.length > 1 ? ' known by now' : ''}`} />
          <Fact name="Workers" value={workers.join(', ') || 'none'} />
          <Fact name="Waiting" value={String(runs.length - done - failed - of('running', 'elsewhere'))} />
          <Fact name="Failed (3 tries)" value={String(failed)} />
          <Fact name="Tried again" value={String(retries)} />
          <Fact name="Speed" value={made > 0 && seconds > 0 ? `${((made / seconds) * 3600).toFixed(0)} runs/h` : '–'} />
          <Fact name="Rollouts" value={`${Math.round(spent)} made, ${Math.round(left)} left`} />
          <Fact
            name="Time left"
            value={left === 0 ? '–' : rate === null ? 'after the first run' : `about ${duration(rate * left)}`}
          />
        </dl>
      </div>
      {failed > 0 ? (
        <>
          <h3>Failed (3 tries)</h3>
          <p>The other runs go on.</p>
          <ul className="sweep-runs" aria-label="Runs that failed three times">
            {runs.filter(hasFailed).map((run) => (
              <Row key={run.key} run={run} />
            ))}
          </ul>
          {isAtWork ? null : <Button label="Retry the failed runs" onClick={actions.retry} />}
        </>
      ) : null}
      <ul className="sweep-runs" aria-label="Runs of the sweep">
        {runs
          .filter((run) => !hasFailed(run))
          .map((run) => (
            <Row key={run.key} run={run} />
          ))}
      </ul>
    </Section>
  );
}

const hasFailed = ({ status }: SweepRun): boolean => status === 'set apart';
const isDone = ({ status }: SweepRun): boolean => status === 'done';

function Row({ run }: { run: SweepRun }) {
  const lab = useLabActions();
  const { label, seed, step, of, status, failures, experimentId } = run;
  const paused = useLab(({ progress }) => progress?.paused === true && progress.experimentId === experimentId);
  const show = async () => {
    if (status !== 'running') await lab.open(experimentId);
    openView('lab');
  };
  return (
    <li className={`sweep-run ${status === 'set apart' ? 'bad' : ''}`}>
      <span className="sweep-run-name">
        {label}, seed {seed}
      </span>
      <progress max={of} value={step} aria-label={`Steps of ${label}, seed ${seed}`} />
      <span className="num muted">
        {step}/{of} {status === 'running' && paused ? 'paused' : (WORDS[status] ?? status)}
      </span>
      {step > 0 ? (
        <Button
          label="Charts and log"
          onClick={() => void show()}
          aria-label={`Charts and log of ${label}, seed ${seed}`}
        />
      ) : null}
      {failures.length > 0 ? (
        <p className="sweep-error">
          Failed {failures.length} {failures.length === 1 ? 'time' : 'times'}: {failures.at(-1)}
        </p>
      ) : null}
    </li>
  );
}
