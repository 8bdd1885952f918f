// Progress of opening the lab (device, model, grader), or why it could not be opened.
import { useLab } from '../lab-context.ts';

export function Progress() {
  const connection = useLab((state) => state.connection);

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
  return null;
}

/** `the model` and `model.safetensors` are prefixed by "Loading"; `factoring the model` already is an activity. */
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
}

function Bar({ text, fraction }: BarProps) {
  return (
    <div className="progress">
      <div className="progress-line">
        <span className="progress-text num" role="status">
          {text}
        </span>
        {fraction !== null ? <span className="num muted">{Math.floor(100 * fraction)}%</span> : null}
      </div>
      <progress value={fraction ?? undefined} max={1} aria-label={text} />
    </div>
  );
}
