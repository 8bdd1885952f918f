import type { Plugin } from 'vite';

export function labUrl(text: string | undefined): string | null;
export function hostingPlugin(options: { url: string | null }): Plugin;
