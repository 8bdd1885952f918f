// Turns a link of a local lab into a link of the public lab, since a local address opens nowhere else. A link's contents are after its `?` and
// `#`, so only its beginning has to change.

/** Null for a link that is not of the local lab. `base` and `lab`: addresses of the local and the public lab's folder. */
export const publicLink = (href: string, base: string, lab: string): string | null =>
  href.startsWith(base) ? lab + href.slice(base.length) : null;
