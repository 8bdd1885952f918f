// Who writes in a folder: one lock for the lab's commands and the packages' (base/files).
export * from '@projected-grpo-lab/base/files/lock.node.ts';
