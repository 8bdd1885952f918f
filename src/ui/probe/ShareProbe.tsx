// A probe's link, copied: the request and, as far as they fit, the results. Nothing is sent to a server.
import type { ProbeRecord } from '../../lab/protocol-probe.ts';
import type { Lab } from '../../store/lab-store.ts';
import { useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';

export function ShareProbe({ record, compact, name }: { record: ProbeRecord; compact?: boolean; name?: string }) {
  const lab = useLabActions();
  return (
    <button
      type="button"
      className={compact ? 'btn small icon' : 'btn small'}
      onClick={() => void copyProbeLink(lab, record)}
      aria-label={name === undefined ? undefined : `Copy a link to ${name}`}
      title="Copy a link that carries the probe and its results; nothing is sent to a server"
    >
      <Icon name="share" size={14} />
      {compact ? null : 'Copy the link'}
    </button>
  );
}

const CARRIES = {
  all: 'its verdicts, steps and samples',
  steps: 'its verdicts and steps, without the samples',
  verdicts: 'its verdicts alone',
};

async function copyProbeLink(lab: Lab, record: ProbeRecord): Promise<void> {
  const link = await (await lab.openProbe()).linkOf(record, window.location.href);
  if (!link) return;
  const { href, carries, needs } = link;
  const what = carries === null ? 'what was asked, without results' : `what was asked and ${CARRIES[carries]}`;
  const besides = needs ? ' Its pool, basis or pairs are kept in this browser alone: send their files too.' : '';
  try {
    await navigator.clipboard.writeText(href);
    lab.tell('good', `Link copied: ${href.length.toLocaleString('en-GB')} characters, with ${what}.${besides}`);
  } catch {
    window.history.replaceState(null, '', href);
    lab.tell('info', `The clipboard is closed to this page; the address bar now has the link, with ${what}.${besides}`);
  }
}
