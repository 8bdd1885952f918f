// The kinds of thing that the lab keeps (each has its own question, plan and report), what every kind says of itself, and whether two of
// its results are the same. Every layer has one table over KIND_IDS, so that an id without an entry in one of them does not compile
// (docs/architecture/adding.md names the tables).
import { toBase64Url } from '../../lib/base64url.ts';

export const KIND_IDS = ['run', 'probe'] as const;
export type KindId = (typeof KIND_IDS)[number];

/** `Result`: what a finished one has found. */
export interface Kind<Result = never> {
  /** One of it, and several, as the page and the command line call them. */
  label: string;
  plural: string;
  /** Of its records; one of another layout is passed over. */
  schema: number;
  /** The figures in which two results must agree to be the same to the last bit. */
  digested: (result: Result) => unknown;
}

/** 22 letters that an address has room for: 128 bits of SHA-256 over the figures as JSON, whatever the order of their keys; base64url. */
export async function digest(figures: unknown): Promise<string> {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(hash, 0, 16));
}
