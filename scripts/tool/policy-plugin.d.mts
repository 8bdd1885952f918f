import type { Plugin } from 'vite';

export function policyPlugin(options: { frames: readonly string[] }): Plugin;
