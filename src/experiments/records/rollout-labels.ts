// The labels that a person gives to rollouts, without the schemas of rows, so that the page reads them at no cost.
export const ROLLOUT_LABELS = ['hack', 'clean'] as const;
