import type { Plugin } from 'vite';

export function shortened(text: string): string;
export function shaderPlugin(): Plugin;
