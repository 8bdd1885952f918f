// Published sheets and stored results keep the words of their rows, which call a routed model without its quarantine "route (update),
// deployed". The page and the command line have one name for it (names.ts), and show such texts through this.

/** Between arm and "deployed" may stand what is special: `route (update) k 5, deployed`, `Route (update), no gate, deployed`. */
const STORED = /\b([Rr])oute(?: \(update\)|( \(gradient\)))((?:(?!deployed|oute \()[^";.])*?), deployed\b/g;

/** A stored text with the page's names. */
export const withPageNames = (text: string): string =>
  text.replace(
    STORED,
    (_, initial, gradient = '', special) => `${initial}outed${gradient}${special}, quarantine removed`,
  );
