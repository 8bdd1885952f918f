// How much of what the browser allows is used, and what to do before it is full.
import { lazy, Suspense } from 'react';
import { bytes } from '../../lib/numbers.ts';
import { useLab } from '../lab-context.ts';

const Deleted = lazy(() => import('./Deleted.tsx'));

const TIGHT = 0.8;

export function StorageMeter() {
  const storage = useLab((state) => state.storage);
  const hasDeleted = useLab((state) => state.deleted.length > 0);
  if (storage?.usedBytes == null) return null;
  const { usedBytes, quotaBytes, persisted } = storage;
  const share = quotaBytes ? usedBytes / quotaBytes : null;
  return (
    <div className="storage">
      <p className="num">
        {bytes(usedBytes)} used{quotaBytes ? ` of the ${bytes(quotaBytes)} that the browser allows` : ''}.{' '}
        <span className="muted">
          {persisted
            ? 'The browser promised to keep it.'
            : 'The browser may clear it when the disk is full: export what matters.'}
        </span>
      </p>
      {share === null ? null : (
        <meter aria-label="Storage used" min={0} max={1} high={TIGHT} value={Math.min(1, share)}>
          {Math.round(100 * share)}%
        </meter>
      )}
      {share !== null && share > TIGHT ? (
        <p className="error">
          Little room is left. Delete what is no longer needed; “Largest first” shows where it is.
        </p>
      ) : null}
      {hasDeleted ? (
        <Suspense>
          <Deleted />
        </Suspense>
      ) : null}
    </div>
  );
}
