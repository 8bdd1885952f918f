// The numbers of self-iterations that are told of. A leaf, since the page's first load names metrics by them.
export const KS = [0, 1, 2, 4, 8, 16] as const;
