export interface Webkit {
  driver: string;
  screen: string;
  browser: string;
}

export function findWebkit(): Webkit | null;
export function findFirefox(): string | null;
export function ensureEngines(): Promise<void>;
