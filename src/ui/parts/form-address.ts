// The form's address in the page's: behind # and in `?environment=`. Replaced, not pushed: Back leads to the last view, not to the last
// setting. What is behind # in the view of a probe or an agent's run is theirs, and stays there.
import type { FormAddress } from '../../share/url.ts';
import { isOfAView } from '../../share/view-hash.ts';

/**
 * On every entry of the history that this page made: going back to one changes the view, and not the form. One that a person typed or
 * pasted has none, and fills the form.
 */
const OWN = { own: true };

let form: FormAddress | null = null;

function addressIn(href: string): FormAddress {
  const { hash, searchParams } = new URL(href);
  return { hash: isOfAView(hash) ? '' : hash.slice(1), environment: searchParams.get('environment') };
}

/** An address of the page with the form's in it. */
function withForm(href: string, { hash, environment }: FormAddress): string {
  const url = new URL(href);
  url.hash = hash;
  if (environment === null) url.searchParams.delete('environment');
  else url.searchParams.set('environment', environment);
  return url.href;
}

/** With the form's in the place of one view's own. */
export function withoutViewHash(href: string): string {
  form ??= addressIn(href);
  return isOfAView(new URL(href).hash) ? withForm(href, form) : href;
}

/** `isLab`: whether the form is on show; elsewhere what is behind # may be the view's own. */
export function putFormAddress(address: FormAddress, isLab: boolean): void {
  form = address;
  const { href, hash } = window.location;
  if (!isLab && isOfAView(hash)) return;
  const next = withForm(href, address);
  if (next !== href) window.history.replaceState(OWN, '', next);
}

/** What the page was opened with. A reload must not start an experiment once more. */
export function landed(): void {
  const url = new URL(window.location.href);
  url.searchParams.delete('start');
  window.history.replaceState(OWN, '', url);
}

export const isOwnEntry = (): boolean => (window.history.state as { own?: unknown } | null)?.own === true;
export const pushOwn = (href: string): void => window.history.pushState(OWN, '', href);
