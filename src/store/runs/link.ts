// The address of a stored record: `?run=<id>` in the Lab, or together with `view=probe` for a probe. It refers to this browser's own
// records. Results are part of a link behind #.
import type { LabState } from '../lab-state.ts';
import { hasEnded } from '../queue.ts';

const PARAMETER = 'run';

/** The id in the address; null if there is none. The record may be stored elsewhere, or may not exist. */
export const recordInAddress = (search: string): string | null => new URLSearchParams(search).get(PARAMETER) || null;

/** The page's address with the record in it; null removes it. */
export function withRecord(href: string, id: string | null): string {
  const url = new URL(href);
  if (recordInAddress(url.search) === id) return href;
  if (id === null) url.searchParams.delete(PARAMETER);
  else url.searchParams.set(PARAMETER, id);
  return url.href;
}

/** The run in the Lab's address: one that was opened, the live one after it has ended, or one that was requested and is not stored here. */
export const runOnShow = ({
  opened,
  live,
  missingRun,
}: Pick<LabState, 'opened' | 'live' | 'missingRun'>): string | null =>
  opened?.id ?? missingRun ?? (live && hasEnded(live.status) ? live.id : null);
