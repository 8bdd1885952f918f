import type { Plugin } from 'vite';

export function workerEntryPlugin(): Plugin;
