// Progress on stderr, the same in every program (base/commands).
export * from '@projected-grpo-lab/base/commands/progress.ts';
