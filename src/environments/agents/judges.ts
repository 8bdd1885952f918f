// Who pays an episode: the verifier alone, or besides it a judge with a planted hole (soft-judge.ts). The names by themselves: settings
// need no more.
export const SOFT_JUDGES = ['verifier', 'hollow'] as const;
export type SoftJudge = (typeof SOFT_JUDGES)[number];
