// Kinds of record that the lab keeps (each has its own question, plan and report), the description of a kind, and whether two results are
// the same. Every layer has one table over KIND_IDS, so that an id without an entry in one of them does not compile
// (docs/architecture/adding.md names the tables).
import { toBase64Url } from '../../lib/base64url.ts';

export const KIND_IDS = ['run', 'probe'] as const;
export type KindId = (typeof KIND_IDS)[number];

/** `Result`: findings of a finished record. */
export interface Kind<Result = never> {
  /** Its singular and plural on the page and the command line. */
  label: string;
  plural: string;
  /** Version of its records' layout; records of another version are skipped. */
  schema: number;
  /** Figures that must be equal for two results to be the same to the last bit. */
  digested: (result: Result) => unknown;
}

/** 22 characters, short enough for a URL: 128 bits of SHA-256 over the figures as JSON with sorted keys; base64url. */
export async function digest(figures: unknown): Promise<string> {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(hash, 0, 16));
}
