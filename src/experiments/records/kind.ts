// The types of record that the lab stores (each with its own question, plan and report), the description of a type, and whether two results
// are equal. Every layer has a table over KIND_IDS, so that an id without an entry does not compile (docs/architecture/adding.md names the
// tables).
import { toBase64Url } from '../../lib/base64url.ts';

export const KIND_IDS = ['run', 'probe'] as const;
export type KindId = (typeof KIND_IDS)[number];

/** `Result`: the results of a finished record. */
export interface Kind<Result = never> {
  /** Its singular and plural on the page and the command line. */
  label: string;
  plural: string;
  /** Version of its records' layout; records of another version are skipped. */
  schema: number;
  /** The values that must be equal, bit for bit, for two results to be the same. */
  digested: (result: Result) => unknown;
}

/** 22 characters of base64url, short enough for a URL: 128 bits of SHA-256 over the values as JSON with sorted keys. */
export async function digest(figures: unknown): Promise<string> {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(hash, 0, 16));
}
