// Histogram of rewards: one bar per value, split by outcome. A bar is a button that filters the list by its rewards.
import type { Outcome } from '../../../environments/rollout-presentation.ts';
import type { RewardBin, RolloutFilter } from '../../../store/rollouts/rollouts.ts';

interface HistogramProps {
  outcomes: readonly Outcome[];
  bins: readonly RewardBin[];
  chosen: RolloutFilter['reward'];
  onChoose: (reward: RolloutFilter['reward']) => void;
}

export function Histogram({ outcomes, bins, chosen, onChoose }: HistogramProps) {
  // Rare outcomes are named only if they occur.
  const parts = outcomes.filter(({ id, rare }) => !rare || bins.some((bin) => bin.outcomes[id] > 0));
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
                  {parts.map(({ id, tone }) => (
                    <span
                      key={id}
                      className={`tone ${tone}`}
                      style={{ height: `${(100 * (bin.outcomes[id] ?? 0)) / tallest}%` }}
                    />
                  ))}
                </span>
                <span className="num">
                  <span className="sr">Reward </span>
                  {bin.label}
                </span>{' '}
                <span className="num muted">
                  {bin.total}
                  <span className="sr">
                    {' '}
                    rollouts: {parts.map(({ id }) => `${bin.outcomes[id] ?? 0} ${id}`).join(', ')}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <p className="histogram-key" aria-hidden="true">
        {parts.map(({ id, tone }) => (
          <span key={id}>
            <i className={`tone ${tone}`} /> {id}
          </span>
        ))}
      </p>
    </figure>
  );
}
