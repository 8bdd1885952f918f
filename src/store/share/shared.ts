// Results that came in the page's address, as the page holds them.
import type { Reproduction } from '../../share/reproduction.ts';
import type { Share } from '../../share/url.ts';

/** Results that came in the address. */
export interface SharedOnPage {
  share: Share;
  /** Null until a run of the same experiment here is done. */
  reproduction: Reproduction | null;
}
