import type { Plugin } from 'vite';

/** Files by path: sha256 in base64, and 1 if the service worker keeps the file when it is installed. */
type FileList = Readonly<Record<string, readonly [hash: string, isKeptFirst: 0 | 1]>>;

export function labUrl(text: string | undefined): string | null;
export function listOf(folder: string): FileList;
export function workerOf(script: string, files: FileList): string;
export function headersFile(base: string): string;
export function nginxFile(base: string): string;
export function hostingPlugin(options: { url: string | null }): Plugin;
