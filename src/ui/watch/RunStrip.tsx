// The running experiment in one bar: a thin segment for each run, the step, the time left, and a button that shows the details. Pause and
// Stop are beside it (RunBar.tsx). The first run loads this chunk.
import { bytesText, duration } from '../../lib/numbers.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { experimentProgress, paceOf, progressText } from '../../store/runs/progress.ts';
import { useLab } from '../lab-context.ts';
import { Fact } from '../parts/Fact.tsx';
import { Popover } from '../parts/Popover.tsx';

export default function RunStrip() {
  const progress = useLab((state) => state.progress);
  const preparing = useLab((state) => state.preparing);
  const forkedAt = useLab((state) => state.live?.spec.fork?.step);
  const { fraction, secondsLeft } = experimentProgress({ progress, preparing });
  const text = preparing ? `Preparing: ${preparing.what}` : progress ? progressText(progress, forkedAt) : 'Starting';
  return (
    <div className="run-strip" id="progress">
      <p className="progress-line num" data-goal tabIndex={-1}>
        <span className="progress-text" role="status">
          {text}
        </span>
        {fraction === null ? null : <span className="muted">{Math.floor(100 * fraction)}%</span>}
        {secondsLeft === null ? null : <span className="muted">{duration(secondsLeft)} left</span>}
      </p>
      <Popover label="About this run" trigger="Details" className="btn small quiet">
        {() => <Facts />}
      </Popover>
      <Segments />
    </div>
  );
}

function Facts() {
  const progress = useLab((state) => state.progress);
  const device = useLab((state) => state.device);
  const live = useLab((state) => state.live);
  const pace = paceOf(live?.runs.find((run) => run.id === progress?.runId) ?? live?.runs.at(-1));
  const facts = [
    live ? { name: 'preset', value: live.spec.preset } : null,
    pace ? { name: 'per step', value: duration(pace.secondsPerStep) } : null,
    pace ? { name: 'rollout tokens/s', value: Math.round(pace.tokensPerSecond).toLocaleString('en-GB') } : null,
    device ? { name: 'device', value: device.name } : null,
    progress?.memory ? { name: 'memory', value: bytesText(progress.memory.allocated) } : null,
  ].flatMap((fact) => fact ?? []);
  return (
    <dl className="facts run-facts">
      {facts.map(({ name, value }) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

/** Hidden from screen readers, because the list of runs below the charts states the same in words. */
function Segments() {
  const live = useLab((state) => state.live);
  if (!live) return null;
  return (
    <div className="segments" aria-hidden="true">
      {live.planned.map(({ arm, seed, steps }) => {
        const run = live.runs.find(({ spec }) => spec.arm === arm && spec.seed === seed);
        const share = run?.status === 'done' ? 1 : (run?.rows.length ?? 0) / steps;
        return (
          <span key={`${arm}/${seed}`}>
            <span style={{ inlineSize: `${100 * share}%`, background: armStyle(arm).color }} />
          </span>
        );
      })}
    </div>
  );
}
