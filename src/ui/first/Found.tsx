// What was found in an environment that has no demo, since it needs a model of a person's own: the sentence with its figure, and rollouts
// to read. Loaded when such an environment is chosen.
import { conditionsOf, headlineText } from '../../experiments/questions/headlines/headline.ts';
import { EnvironmentFinding } from './EnvironmentFinding.tsx';
import { RunForm } from './Published.tsx';
import Samples from './Samples.tsx';
import { useEnvironmentHeadline } from './use-demo.ts';
import './found.css';

export default function Found({ environment }: { environment: string }) {
  const headline = useEnvironmentHeadline(environment);
  if (!headline) return null;
  const { n, unit } = headline;
  return (
    <section className="published" aria-label="What was found">
      <EnvironmentFinding environment={environment} />
      <div className="published-body">
        <div className="published-drawn">
          <figure className="found">
            <figcaption className="muted note">
              Means over {n} {unit}; lines are 95 % intervals.
            </figcaption>
            <ul>
              {conditionsOf(headline).map((figure) => (
                <li key={figure.name}>
                  <b className="num">{headlineText(figure)}</b> {figure.name.split(': ')[0]}
                  <Bar {...figure} />
                </li>
              ))}
            </ul>
          </figure>
          <div className="published-tools">
            <RunForm words="Run these settings" />
          </div>
        </div>
        <Samples environment={environment} />
      </div>
    </section>
  );
}

/** From 0 to 1 along the whole width; its words say the same. */
function Bar({ mean, interval }: Parameters<typeof headlineText>[0]) {
  const percent = (share: number) => `${100 * Math.min(1, Math.max(0, share))}%`;
  return (
    <svg width="100%" height="14" aria-hidden="true">
      <rect className="found-bar" width={percent(mean)} height="14" />
      {interval ? <line x1={percent(interval.low)} x2={percent(interval.high)} y1="7" y2="7" /> : null}
    </svg>
  );
}
