import type { Plugin } from 'vite';

export function hooksPlugin(): Plugin;
export function wordsPlugin(): Plugin;
