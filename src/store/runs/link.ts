// The address of a kept record: `?run=<id>` in the Lab, and beside `view=probe` for a probe. It points into this browser's own records;
// results travel in a link behind #.
import type { LabState } from '../lab-state.ts';
import { hasEnded } from '../queue.ts';

const PARAMETER = 'run';

/** The id in the address; null without one. It may be of a record that is kept elsewhere, or of none. */
export const recordInAddress = (search: string): string | null => new URLSearchParams(search).get(PARAMETER) || null;

/** The page's address with the record in it; null removes it. */
export function withRecord(href: string, id: string | null): string {
  const url = new URL(href);
  if (recordInAddress(url.search) === id) return href;
  if (id === null) url.searchParams.delete(PARAMETER);
  else url.searchParams.set(PARAMETER, id);
  return url.href;
}

/** The run of the Lab's address: one that was opened, the live one once it has ended, or one that was asked for and is not kept here. */
export const runOnShow = ({
  opened,
  live,
  missingRun,
}: Pick<LabState, 'opened' | 'live' | 'missingRun'>): string | null =>
  opened?.id ?? missingRun ?? (live && hasEnded(live.status) ? live.id : null);
