// Progress of the running experiment: bar, current step, time left, pace, device and its memory.
import { bytesText, duration } from '../../lib/numbers.ts';
import { experimentProgress, paceOf, progressText } from '../../store/runs/progress.ts';
import { useLab } from '../lab-context.ts';
import { Fact } from '../parts/Fact.tsx';

export function Progress() {
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const progress = useLab((state) => state.progress);
  const preparing = useLab((state) => state.preparing);
  const device = useLab((state) => state.device);
  const live = useLab((state) => state.live);

  if (connection.status === 'failed') {
    return (
      <div className="callout bad" role="alert">
        <p>
          <b>The lab did not start.</b> {connection.problem.message}
        </p>
        <p>{connection.problem.remedy}</p>
      </div>
    );
  }
  if (connection.status === 'loading')
    return <Bar text={loadingText(connection.what)} fraction={connection.fraction} />;
  if (!busy || !live) return null;

  const pace = paceOf(live.runs.find((run) => run.id === progress?.runId) ?? live.runs.at(-1));
  const { fraction, secondsLeft: left } = experimentProgress({ progress, preparing });
  const facts = [
    left != null ? { name: 'left', value: duration(left) } : null,
    pace ? { name: 'per step', value: duration(pace.secondsPerStep) } : null,
    pace ? { name: 'rollout tokens/s', value: Math.round(pace.tokensPerSecond).toLocaleString('en-GB') } : null,
    device ? { name: 'device', value: device.name } : null,
    progress?.memory ? { name: 'memory', value: bytesText(progress.memory.allocated) } : null,
  ].flatMap((fact) => fact ?? []);
  const text = preparing ? `Preparing: ${preparing.what}` : progress ? progressText(progress) : 'Starting';
  return <Bar text={text} fraction={fraction} facts={facts} />;
}

/** `the model` and `model.safetensors` get "Loading"; `factoring the model` is an activity already. */
const loadingText = (what: string): string =>
  what === 'device'
    ? 'Opening the device'
    : /^the |\.\w+$/.test(what)
      ? `Loading ${what}`
      : what[0].toUpperCase() + what.slice(1);

interface BarProps {
  text: string;
  /** 0..1, or null while it is unknown. */
  fraction: number | null;
  facts?: readonly { name: string; value: string }[];
}

function Bar({ text, fraction, facts = [] }: BarProps) {
  return (
    <div className="progress" id="progress">
      <div className="progress-line" data-goal tabIndex={-1}>
        <span className="progress-text num" role="status">
          {text}
        </span>
        {fraction !== null ? <span className="num muted">{Math.floor(100 * fraction)}%</span> : null}
      </div>
      <progress value={fraction ?? undefined} max={1} aria-label={text} />
      {facts.length > 0 ? (
        <dl className="facts">
          {facts.map(({ name, value }) => (
            <Fact key={name} name={name} value={value} />
          ))}
        </dl>
      ) : null}
    </div>
  );
}
