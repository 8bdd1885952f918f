import type { Plugin } from 'vite';

export function wordsPlugin(): Plugin;
