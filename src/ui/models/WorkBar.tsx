// Progress of the model that is being fetched, copied or opened, and a button that stops it.
import { bytesText, duration } from '../../lib/numbers.ts';
import type { ModelWork } from '../../store/models/state.ts';
import { useModelActions, useModels } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export function WorkBar() {
  const models = useModelActions();
  const work = useModels((state) => state.work);
  if (!work) return null;
  const { name, doing, done, total, stopping } = work;
  return (
    <section className="progress model-work" aria-label={`${doing === 'keep' ? 'Keeping' : 'Loading'} ${name}`}>
      <div className="progress-line">
        <span className="progress-text num" role="status">
          {workText(work)}
        </span>
        <Button icon="stop" label="Cancel" tone="danger" disabled={stopping} onClick={() => void models.cancel()} />
      </div>
      <progress value={total > 0 ? done / total : undefined} max={1} aria-label={`Progress of ${name}`} />
    </section>
  );
}

/** Such as `Qwen/Qwen3-0.6B: model.safetensors, 210 MB of 1.1 GB, 12 MB/s, 1 min 20 s left`. */
function workText({ name, what, done, total, inBytes, bytesPerSecond, etaSeconds }: ModelWork): string {
  const parts = [what === '' ? 'beginning' : what];
  if (inBytes) parts.push(`${bytesText(done)} of ${bytesText(total)}`);
  if (bytesPerSecond !== null) parts.push(`${bytesText(Math.round(bytesPerSecond))}/s`);
  if (etaSeconds !== null) parts.push(`${duration(etaSeconds)} left`);
  return `${name}: ${parts.join(', ')}`;
}
