// The lab's share of the browser's storage, and whether the browser has promised to keep it.
import { plural } from '../../experiments/analysis/words.ts';
import { bytesText } from '../../lib/numbers.ts';
import { useLab } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { FactRow } from '../parts/Fact.tsx';

/** Deletes everything after one confirmation. This cannot be undone. */
async function deleteAll(): Promise<void> {
  const [{ confirmAction }, { wipeAtNextLoad }] = await Promise.all([import('../parts/ask.ts'), import('./wipe.ts')]);
  const sure = await confirmAction({
    title: 'Delete everything?',
    text: 'All runs, probes, pools, bases, pairs, models and settings of this lab in this browser will be deleted, and the page reloads. A running experiment is lost. This cannot be undone: first export what you want to keep, and close other tabs of the lab.',
    yes: 'Delete everything',
  });
  if (sure) wipeAtNextLoad();
}

export function StorageFacts() {
  const storage = useLab((state) => state.storage);
  const kept = useLab((state) => state.kept.run.length);
  const bases = useLab((state) => state.bases.length);
  const pools = useLab((state) => state.pools.length);
  if (!storage) return <p role="status">Asking the browser …</p>;
  const { usedBytes, quotaBytes, persisted } = storage;
  const known = usedBytes !== null && quotaBytes !== null && quotaBytes > 0;
  return (
    <>
      {known ? (
        <p className="storage-bar">
          <progress aria-label="Storage used" value={usedBytes} max={quotaBytes} />
          <span className="num">
            {bytesText(usedBytes)} used of {bytesText(quotaBytes)} ({((100 * usedBytes) / quotaBytes).toFixed(2)}%)
          </span>
        </p>
      ) : (
        <p>This browser does not report how much is used.</p>
      )}
      <dl className="facts-table">
        <FactRow name="Kept" className="num">
          {plural(kept, 'experiment')}, {plural(bases, 'basis', 'bases')}, {plural(pools, 'teacher pool')}
        </FactRow>
        <FactRow name="Persistent">
          {persisted
            ? 'Yes: the browser deletes nothing by itself.'
            : 'No: when the disk is nearly full, the browser may delete all of it. Export what must not be lost.'}
        </FactRow>
      </dl>
      <p>
        <Button label="Delete everything" isLarge tone="danger" onClick={() => void deleteAll()} />{' '}
        <span className="muted">
          Runs, probes, pools, bases, pairs, models and settings of this lab in this browser.
        </span>
      </p>
    </>
  );
}
