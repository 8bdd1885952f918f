// A new file that is never written over another: the packages' commands make theirs by the same (base/files).
export * from '@projected-grpo-lab/base/files/new-file.node.ts';
