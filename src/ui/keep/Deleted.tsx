// Entries that were deleted since this page was opened. Each can be restored, or all can be removed permanently to free space.
import { plural } from '../../experiments/analysis/words.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { confirmAction } from '../parts/ask.ts';
import { Button } from '../parts/Button.tsx';

export default function Deleted() {
  const lab = useLabActions();
  const deleted = useLab((state) => state.deleted);
  const busy = useLab((state) => state.busy);
  if (deleted.length === 0) return null;

  async function empty(): Promise<void> {
    const sure = await confirmAction({
      title: 'Remove for good?',
      text: `${plural(deleted.length, 'deleted entry', 'deleted entries')} will be removed from this browser now. That cannot be undone.`,
      yes: 'Remove for good',
    });
    if (sure) await lab.deletions.empty();
  }

  return (
    <details className="deleted" data-testid="deleted">
      <summary>{plural(deleted.length, 'deleted entry', 'deleted entries')}, until this page is closed</summary>
      <ul aria-label="Deleted">
        {deleted.map(({ key, name }) => (
          <li key={key}>
            <span>{name}</span>
            <Button label="Restore" aria-label={`Restore ${name}`} onClick={() => lab.deletions.undo(key)} />
          </li>
        ))}
      </ul>
      <p className="muted">
        Their space is freed when the page closes, or at once:{' '}
        <Button
          label="Remove for good"
          tone="danger"
          disabled={busy}
          title={busy ? 'Not while a run may read them' : undefined}
          onClick={() => void empty()}
        />
      </p>
    </details>
  );
}
