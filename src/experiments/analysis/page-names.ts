// Published sheets and stored results keep their wording, which calls a routed model without its quarantine "route (update), deployed". The page
// and the command line use another name (names.ts), and show such texts through this function.

/** Words may come between the arm and "deployed": `route (update) k 5, deployed`, `Route (update), no gate, deployed`. */
const STORED = /\b([Rr])oute(?: \(update\)|( \(gradient\)))((?:(?!deployed|oute \()[^";.])*?), deployed\b/g;

/** A stored text with the page's names. */
export const withPageNames = (text: string): string =>
  text.replace(
    STORED,
    (_, initial, gradient = '', special) => `${initial}outed${gradient}${special}, quarantine removed`,
  );
