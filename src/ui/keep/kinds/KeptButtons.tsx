// Buttons for any stored record, whatever its kind: resume it, name it, copy its link, save its file, delete it.
import { useState } from 'react';
import type { KindId } from '../../../experiments/records/kind.ts';
import type { SummaryOf } from '../../../lab/protocol/kept.ts';
import { duration } from '../../../lib/numbers.ts';
import { KEPT_ON_PAGE } from '../../../store/kinds/kinds.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { saveFile } from '../../parts/DownloadButton.tsx';
import { openView } from '../../parts/view.ts';
import { KIND_ROUTES } from '../../parts/views.ts';
import { copyLink } from '../../share/ShareLinkButton.tsx';

interface KeptEntryProps<K extends KindId> {
  kind: K;
  entry: SummaryOf<K>;
  /** The record's name, in the button's accessible name. */
  name?: string;
}

interface KeptButtonProps<K extends KindId> extends KeptEntryProps<K> {
  disabled: boolean;
  title: string;
}

export function ResumeButton<K extends KindId>({
  kind,
  entry,
  name,
  ...rest
}: KeptEntryProps<K> & Partial<KeptButtonProps<K>>) {
  const lab = useLabActions();

  async function resume(): Promise<void> {
    openView(KIND_ROUTES[kind]);
    await lab.goOn(kind, entry);
  }

  return <Button icon="resume" label="Resume" {...rest} onClick={() => void resume()} aria-label={`Resume ${name}`} />;
}

/** Opens and closes the form for name, tags and note (NotesForm.tsx). */
export function NotesButton({ name, open, onClick }: { name: string; open: boolean; onClick: () => void }) {
  return (
    <Button label="Name and tags" aria-expanded={open} onClick={onClick} aria-label={`Name and tags of ${name}`} />
  );
}

export function KeptLinkButton<K extends KindId>({ kind, entry, name }: KeptEntryProps<K>) {
  const lab = useLabActions();
  const { linkHelp } = KEPT_ON_PAGE[kind];
  return (
    <Button
      icon="share"
      label={name === undefined ? 'Share' : null}
      onClick={() => void copyLink(lab, lab.linkOf(kind, entry, window.location.href))}
      aria-label={name === undefined ? undefined : `Share ${name}`}
      title={linkHelp}
    />
  );
}

export function ExportButton<K extends KindId>({ kind, entry, name, disabled, title }: KeptButtonProps<K>) {
  const lab = useLabActions();
  const [exporting, setExporting] = useState(false);

  async function save(): Promise<void> {
    setExporting(true);
    const blob = await lab.exported(kind, entry.id);
    setExporting(false);
    if (blob) saveFile(KEPT_ON_PAGE[kind].fileName(entry), blob);
  }

  return (
    <Button
      icon="download"
      disabled={exporting || disabled}
      onClick={() => void save()}
      aria-label={`Export ${name}`}
      title={title}
    />
  );
}

/** Computing time, in seconds, above which deletion needs a confirmation. */
const ASKED_FROM_SECONDS = 60;

/** `before` is awaited before the record is deleted. */
export function DeleteButton<K extends KindId>(props: KeptButtonProps<K> & { before?: () => Promise<void> }) {
  const { kind, entry, name, before, ...rest } = props;
  const lab = useLabActions();

  async function remove(): Promise<void> {
    const seconds = await lab.workOf(kind, entry.id);
    if (seconds > ASKED_FROM_SECONDS) {
      const { confirmAction } = await import('../../parts/ask.ts');
      const sure = await confirmAction({
        title: `Delete ${name ?? 'it'}?`,
        text: `It took ${duration(seconds)} to compute. You can undo this only until the page closes; an export is a copy outside the browser.`,
        yes: 'Delete',
      });
      if (!sure) return;
    }
    await before?.();
    lab.remove(kind, entry);
  }

  return <Button icon="trash" {...rest} onClick={() => void remove()} aria-label={`Delete ${name}`} />;
}
