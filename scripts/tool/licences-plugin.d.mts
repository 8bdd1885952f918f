import type { Plugin } from 'vite';

export function licencesPlugin(options: { workers: readonly string[] }): Plugin;
