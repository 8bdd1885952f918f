// A link, copied; or put into the address bar, where the clipboard is closed to the page.
import type { Lab } from '../../store/lab-store.ts';
import type { ShareLink } from '../../store/share-actions.ts';

export async function copyLink(lab: Lab, making: Promise<ShareLink | null>): Promise<void> {
  const link = await making;
  if (!link) return;
  const url = new URL(window.location.href);
  url.search = '';
  url.hash = link.hash;
  const carries =
    link.points === null
      ? 'the experiment, without its trajectories'
      : `the experiment and ${link.points} steps of each run`;
  const needs =
    link.needs.length > 0
      ? ` Whoever runs it needs ${link.needs.join(' and ')} as well: a link has no room for that, an exported run carries it.`
      : '';
  try {
    await navigator.clipboard.writeText(url.href);
    lab.tell('good', `Link copied: ${url.href.length.toLocaleString('en-GB')} characters, with ${carries}.${needs}`);
  } catch {
    window.history.replaceState(null, '', url);
    lab.tell(
      'info',
      `The clipboard is closed to this page; the address bar now has the link, with ${carries}.${needs}`,
    );
  }
}
