// Whether two results are the same to the last bit, in 22 letters that an address has room for.
import { toBase64Url } from '../../lib/base64url.ts';

/** 128 bits of SHA-256 over the figures as JSON, whatever the order of their keys; base64url. */
export async function digest(figures: unknown): Promise<string> {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(hash, 0, 16));
}
