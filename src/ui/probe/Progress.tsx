// Progress of the probe or of one of its trainings.
import { duration } from '../../lib/numbers.ts';
import { useProbe } from '../lab-context.ts';

export function Progress({ label }: { label: string }) {
  const work = useProbe((state) => state.work);
  if (!work) return null;
  const { what, done, total, etaSeconds, fraction } = work;
  const left = etaSeconds === null ? '' : `, ${duration(etaSeconds)} left`;
  return (
    <div className="progress">
      <div className="progress-line">
        <span className="progress-text num" role="status">
          {what.charAt(0).toUpperCase() + what.slice(1)}
          {total > 1 ? ` ${done} of ${total}` : ''}
          {left}
        </span>
      </div>
      <progress value={fraction} max={1} aria-label={label} />
    </div>
  );
}
