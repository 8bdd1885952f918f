// Actions on several stored records at once: compare their arms, save their files, delete them.
import { useState } from 'react';
import { groupsOf } from '../../experiments/analysis/compare-runs.ts';
import { duration } from '../../lib/numbers.ts';
import { compareParams, NO_COMPARISON } from '../../store/charts/compare-link.ts';
import type { KeptEntry } from '../../store/kept/list.ts';
import { KEPT_ON_PAGE } from '../../store/kinds/kinds.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { openAddress, viewAddress } from '../parts/view.ts';

/** Computing time, in seconds, above which deletion needs a confirmation. */
const ASKED_FROM_SECONDS = 60;

export function Selected({ chosen, onDone }: { chosen: readonly KeptEntry[]; onDone: () => void }) {
  const lab = useLabActions();
  const [busy, setBusy] = useState(false);
  const runs = chosen.flatMap((one) => (one.kind === 'run' ? [one.entry] : []));
  const isAtWork = runs.some(({ status }) => status === 'running' || status === 'waiting');

  function compare(): void {
    // All models of every arm that is compared: the deployed one if the arm has one.
    const picked = runs.flatMap(({ id, spec }) => {
      const groups = groupsOf(id, '', spec, []);
      return groups
        .filter(
          ({ arm, model }) =>
            model === 'deployed' || !groups.some((one) => one.arm === arm && one.model === 'deployed'),
        )
        .map((group) => group.id);
    });
    const url = new URL(viewAddress('compare'));
    for (const [name, value] of Object.entries(compareParams({ ...NO_COMPARISON, picked })))
      if (value !== null) url.searchParams.set(name, value);
    openAddress(url.href);
  }

  async function save(): Promise<void> {
    setBusy(true);
    for (const one of chosen) await saveOne(one);
    setBusy(false);
  }

  async function saveOne(one: KeptEntry): Promise<void> {
    const blob = await lab.exported(one.kind, one.entry.id);
    const name = one.kind === 'run' ? KEPT_ON_PAGE.run.fileName(one.entry) : KEPT_ON_PAGE.probe.fileName(one.entry);
    if (blob) saveFile(name, blob);
  }

  async function remove(): Promise<void> {
    setBusy(true);
    let seconds = 0;
    for (const { kind, entry } of chosen) seconds += await lab.workOf(kind, entry.id);
    setBusy(false);
    if (seconds > ASKED_FROM_SECONDS) {
      const { confirmAction } = await import('../parts/ask.ts');
      const sure = await confirmAction({
        title: `Delete ${chosen.length} records?`,
        text: `They took ${duration(seconds)} to compute. You can undo this only until the page closes; an export is a copy outside the browser.`,
        yes: 'Delete',
      });
      if (!sure) return;
    }
    for (const one of chosen) {
      if (one.kind === 'run') lab.remove('run', one.entry);
      else lab.remove('probe', one.entry);
    }
    onDone();
  }

  return (
    <div className="kept-selected" role="status">
      <b className="num">{chosen.length} selected</b>
      <Button
        label="Compare"
        disabled={runs.length === 0}
        title={runs.length === 0 ? 'Only runs are compared' : 'Overlays all their arms'}
        onClick={compare}
      />
      <Button icon="download" label="Export" disabled={busy || isAtWork} onClick={() => void save()} />
      <Button icon="trash" label="Delete" disabled={busy || isAtWork} onClick={() => void remove()} />
      <Button label="Clear" tone="quiet" onClick={onDone} />
    </div>
  );
}
