// Files written whole are the packages' too (base/files), and the lab's folders are written by the same.
export * from '@projected-grpo-lab/base/files/disk.node.ts';
