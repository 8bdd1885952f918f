// How the rewards lie: one bar a value, split by outcome. A bar is a button that keeps its rewards alone.
import type { RewardBin, RolloutFilter } from '../../../store/rollouts.ts';

interface HistogramProps {
  bins: readonly RewardBin[];
  chosen: RolloutFilter['reward'];
  onChoose: (reward: RolloutFilter['reward']) => void;
}

const PARTS = ['exploited', 'solved', 'failed'] as const;

export function Histogram({ bins, chosen, onChoose }: HistogramProps) {
  const tallest = Math.max(1, ...bins.map(({ total }) => total));
  return (
    <figure className="reward-histogram">
      <figcaption>
        <b>Reward</b> <span className="muted">click a bar to keep its rollouts</span>
      </figcaption>
      <ul>
        {bins.map((bin) => {
          const pressed = chosen !== null && chosen.lo === bin.lo;
          return (
            <li key={bin.lo}>
              <button
                type="button"
                aria-pressed={pressed}
                onClick={() => onChoose(pressed ? null : { lo: bin.lo, hi: bin.hi })}
              >
                <span className="bar" aria-hidden="true">
                  {PARTS.map((part) => (
                    <span key={part} className={part} style={{ height: `${(100 * bin[part]) / tallest}%` }} />
                  ))}
                </span>
                <span className="num">
                  <span className="sr">Reward </span>
                  {bin.label}
                </span>{' '}
                <span className="num muted">
                  {bin.total}
                  <span className="sr"> rollouts: {PARTS.map((part) => `${bin[part]} ${part}`).join(', ')}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <p className="histogram-key" aria-hidden="true">
        {PARTS.map((part) => (
          <span key={part}>
            <i className={part} /> {part}
          </span>
        ))}
      </p>
    </figure>
  );
}
