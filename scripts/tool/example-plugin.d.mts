import type { Plugin } from 'vite';

export function examplePlugin(): Plugin;
