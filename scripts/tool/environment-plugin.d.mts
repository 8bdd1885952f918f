import type { Plugin } from 'vite';

export function environmentPlugin(environment?: string | null): Plugin;
