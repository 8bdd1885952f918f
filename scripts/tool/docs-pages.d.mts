import type { Plugin } from 'vite';

export function docPage(markdown: string, shipped: readonly string[]): string;
export function docsPagesPlugin(): Plugin;
