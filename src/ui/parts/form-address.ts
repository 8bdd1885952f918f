// The form's part of the page's address: behind # and in `?environment=`. It is replaced rather than pushed, so that Back leads to the last
// view and not to the last setting. In the views of a probe and of an agent's run, # belongs to the view and is not changed.
import type { FormAddress } from '../../share/spec-link.ts';
import { isOfAView } from '../../share/view-hash.ts';

/**
 * State of all history entries that this page made: returning to one changes the view but not the form. An address that a user typed or
 * pasted has no such state, and fills the form.
 */
const OWN = { own: true };

let formAddress: FormAddress | null = null;

function addressIn(href: string): FormAddress {
  const { hash, searchParams } = new URL(href);
  return { hash: isOfAView(hash) ? '' : hash.slice(1), environment: searchParams.get('environment') };
}

/** Puts the form's address into an address of the page. */
function withFormAddress(href: string, { hash, environment }: FormAddress): string {
  const url = new URL(href);
  url.hash = hash;
  if (environment === null) url.searchParams.delete('environment');
  else url.searchParams.set('environment', environment);
  return url.href;
}

/** Replaces a hash that belongs to one view by the form's address. */
export function withoutViewHash(href: string): string {
  formAddress ??= addressIn(href);
  return isOfAView(new URL(href).hash) ? withFormAddress(href, formAddress) : href;
}

/** `isLab`: whether the form is shown; in other views the hash may belong to the view. */
export function putFormAddress(address: FormAddress, isLab: boolean): void {
  formAddress = address;
  const { href, hash } = window.location;
  if (!isLab && isOfAView(hash)) return;
  const next = withFormAddress(href, address);
  if (next !== href) window.history.replaceState(OWN, '', next);
}

/** Removes `start` from the address once the page is open, so that a reload does not start the experiment again. */
export function removeStartParameter(): void {
  const url = new URL(window.location.href);
  url.searchParams.delete('start');
  window.history.replaceState(OWN, '', url);
}

export const isOwnEntry = (): boolean => (window.history.state as { own?: unknown } | null)?.own === true;
export const replaceOwn = (href: string): void => window.history.replaceState(OWN, '', href);
export const pushOwn = (href: string): void => window.history.pushState(OWN, '', href);
