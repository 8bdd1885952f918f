// The card by which an environment is chosen on the page: the question that it lets one ask, in a person's words, and what to look at in
// its picture. Texts alone, since the page's first load has all of them.

export interface WorldCard {
  /** Ends with a question mark. */
  question: string;
  /** One sentence. */
  about: string;
  /** Ids of the environment's metrics, profiles and what it asks, drawn in its picture. */
  look: readonly string[];
}
