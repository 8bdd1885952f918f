// The labels that a user can give to rollouts, kept apart from the row schemas so that the page need not load those.
export const ROLLOUT_LABELS = ['hack', 'clean'] as const;
