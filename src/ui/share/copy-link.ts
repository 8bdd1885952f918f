// A link, copied; or put into the address bar, where the clipboard is closed to the page.
import type { KeptLink } from '../../store/kinds/kinds.ts';
import type { Lab } from '../../store/page/lab-store.ts';

export async function copyLink(lab: Lab, making: Promise<KeptLink | null>): Promise<void> {
  const link = await making;
  if (!link) return;
  const { href, carries, needs } = link;
  try {
    await navigator.clipboard.writeText(href);
    lab.tell('good', `Link copied: ${href.length.toLocaleString('en-GB')} characters, with ${carries}.${needs}`);
  } catch {
    window.history.replaceState(null, '', href);
    lab.tell('info', `This page may not use the clipboard; the address bar now has the link, with ${carries}.${needs}`);
  }
}
