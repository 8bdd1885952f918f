// Requests that stay with the Hub: a redirect is followed only to the same host, to its subdomains and to the Hub's own CDN, so that
// neither a token nor the request reaches a third party.
import { HubError } from '../errors.ts';
import { HUB } from '../models/http.ts';

/** More redirects than a real request needs. */
const MOST_REDIRECTS = 5;
const HUB_HOST = new URL(HUB).hostname;
/** The Hub and its CDN. */
const HUB_SITES = [HUB_HOST, 'hf.co'];

/** Whether the address belongs to the endpoint or its CDN. */
function isOfHub(address: string, endpoint: string): boolean {
  if (!URL.canParse(address)) return false;
  const [to, own] = [new URL(address), new URL(endpoint)];
  if (to.protocol !== 'https:' && to.protocol !== own.protocol) return false;
  const sites = own.hostname === HUB_HOST ? HUB_SITES : [own.hostname];
  return sites.some((site) => to.hostname === site || to.hostname.endsWith(`.${site}`));
}

/** A `fetch` that refuses all other hosts. Throws HubError. */
export function withinHub(endpoint: string, send: typeof fetch = (input, init) => fetch(input, init)): typeof fetch {
  const refuseOthers = (address: string) => {
    if (isOfHub(address, endpoint)) return;
    throw new HubError(
      `${new URL(endpoint).host} sends requests on to ${address.slice(0, 120)}; that is not followed.`,
      'Name the endpoint where the data set really is.',
      null,
    );
  };
  return async (input, init) => {
    let address = String(input instanceof Request ? input.url : input);
    refuseOthers(address);
    if ('location' in globalThis) {
      // A page cannot see a redirect's target before following it.
      const response = await send(address, { ...init, credentials: 'omit' });
      if (response.redirected) refuseOthers(response.url);
      return response;
    }
    const headers = new Headers(init?.headers);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      const response = await send(address, { ...init, headers, redirect: 'manual' });
      const to = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || to === null) return response;
      await response.body?.cancel().catch(() => {});
      const next = URL.canParse(to, address) ? new URL(to, address).href : to;
      refuseOthers(next);
      if (new URL(next).origin !== new URL(address).origin) headers.delete('authorization');
      address = next;
    }
    throw new HubError(
      `${new URL(endpoint).host} sends a request on more than ${MOST_REDIRECTS} times.`,
      'Check the endpoint; it does not answer as the Hub does.',
      null,
    );
  };
}
