// A link of a lab on this machine as a link of the public lab. An address of one's own machine opens nowhere else; whatever a link carries
// is behind its `?` and `#`, so that only its beginning has to change.

/** @param base address of the lab's folder here  @param lab of the public lab's folder; null for a link that is not of this lab */
export const publicLink = (href: string, base: string, lab: string): string | null =>
  href.startsWith(base) ? lab + href.slice(base.length) : null;
