// SHA-256: of a value's JSON as a key, of bytes at once (crypto.subtle), and incrementally (FIPS 180-4), which is several times slower, for
// files too large for memory and for pages without crypto.subtle.
import { FormatError } from './errors.ts';

const K = constants();

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants(): Int32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  return Int32Array.from(primes, (p) => root(p, 3));
}

/** ⌊frac(p^(1/n)) · 2^32⌋ in integers: a double has too few bits to be sure of the last one. */
function root(p: number, n: number): number {
  const target = BigInt(p) << BigInt(32 * n);
  let low = 0n;
  let high = 1n << 40n;
  while (low + 1n < high) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(n) <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

export class Sha256 {
  /** The first 32 bits of the fractional parts of the square roots of the first eight primes. */
  readonly #state = Int32Array.from([2, 3, 5, 7, 11, 13, 17, 19], (p) => root(p, 2));
  readonly #schedule = new Int32Array(64);
  readonly #block = new Uint8Array(64);
  #filled = 0;
  #bytes = 0;

  update(bytes: Uint8Array): this {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#filled > 0) {
      at = Math.min(64 - this.#filled, bytes.length);
      this.#block.set(bytes.subarray(0, at), this.#filled);
      this.#filled += at;
      if (this.#filled < 64) return this;
      this.#compress(this.#block, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) this.#compress(bytes, at);
    this.#block.set(bytes.subarray(at));
    this.#filled = bytes.length - at;
    return this;
  }

  /** Returns the hash in hex. Nothing can be added afterwards. */
  digest(): string {
    const bits = BigInt(this.#bytes) * 8n;
    const end = new Uint8Array((this.#filled < 56 ? 64 : 128) - this.#filled);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, bits);
    this.update(end);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #compress(bytes: Uint8Array, from: number): void {
    compress(this.#state, this.#schedule, bytes, from);
  }
}

/** Uses only signed 32-bit integers, which an engine keeps in registers. */
function compress(state: Int32Array, w: Int32Array, bytes: Uint8Array, from: number): void {
  for (let t = 0, i = from; t < 16; t++, i += 4)
    w[t] = (bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!;
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (((w[t - 16]! + s0) | 0) + ((w[t - 7]! + s1) | 0)) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (((((h + s1) | 0) + ((e & f) ^ (~e & g))) | 0) + ((K[t]! + w[t]!) | 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** Returns the hash in hex. Throws FormatError on a page outside a secure context. */
export async function digestOf(algorithm: 'SHA-1' | 'SHA-256', bytes: Uint8Array): Promise<string> {
  if (!globalThis.crypto?.subtle) {
    throw new FormatError(
      'File hashes need a secure context, and this page is not in one.',
      'Open the lab through https:// or http://localhost.',
    );
  }
  // crypto.subtle refuses a view of shared memory, so only such views are copied.
  const plain = bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice();
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, plain as BufferSource));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Hex sha-256 of a value's JSON: equal contents have equal keys. */
export async function contentKey(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
