// Experiments that wait while another trains, each with its position and a button that takes it out of the queue.
import { ARMS } from '../../experiments/config/arms.ts';
import { runName } from '../../store/kinds/kinds.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function Queue() {
  const lab = useLabActions();
  const queue = useLab((state) => state.queue);
  const kept = useLab((state) => state.kept.run);
  return (
    <div className="queue">
      <h3>
        Waiting <span className="muted num">{queue.length}</span>
      </h3>
      <ol className="queue-list" aria-label="Queue of experiments">
        {queue.map(({ id, spec, planned }, i) => {
          const summary = kept.find((entry) => entry.id === id);
          const name = summary ? runName(summary) : spec.preset;
          const arms = spec.arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');
          return (
            <li key={id}>
              <span className="num muted">{i + 1}</span>
              <span className="queue-name">
                <b>{name}</b>: {arms}; {spec.seeds.length === 1 ? 'seed' : 'seeds'} {spec.seeds.join(', ')}{' '}
                <span className="muted num">
                  {planned.length} × {planned[0].steps} steps
                </span>
              </span>
              <Button
                icon="close"
                label="Remove"
                onClick={() => void lab.cancelWaiting(id)}
                aria-label={`Remove ${name}, ${i + 1} in the queue`}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}
