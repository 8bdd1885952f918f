// Checksums of what is kept: one form for the lab and the packages (base/files).
export * from '@projected-grpo-lab/base/files/sealed.ts';
