// Bytes of one file over HTTP: the rest of an incomplete file, appended to the stored part; and slices that are fetched when read, so that
// reading a header fetches little more. RFC 9110, 13.1.5 (If-Range), 14 (ranges).

import { HubError } from '../errors.ts';
import { type PartialFile, type StoredFile, usedBytes } from '../model-store.ts';
import type { FileLike } from '../sources.ts';
import { ConnectionLost, type HubClient } from './http.ts';

/** Bytes per request: an expired link or a broken connection loses at most the rest of one request. */
const PART_BYTES = 32 * 2 ** 20;
/** Bytes gathered before they are written and flushed. */
const PIECE_BYTES = 4 * 2 ** 20;
/** Bytes at the start of a sliced file that are cached, since headers are there. */
const HEAD_BYTES = 128 * 2 ** 10;
/** Most bytes of a text, which is read whole; a shard index has some megabytes. */
const MOST_TEXT = 64 * 2 ** 20;

/** Throws HubError for a text that is too large to be read whole. */
export function checkTextSize(path: string, bytes: number): void {
  if (bytes > MOST_TEXT)
    throw new HubError(
      `${path} is said to have ${bytes} bytes; a text has at most ${MOST_TEXT}.`,
      'Name another repository, or download the model another way.',
      null,
    );
}
/** Number of times that a file may change on the server before the client gives up. */
const MOST_RESTARTS = 2;

interface FetchHooks {
  /** Called with the bytes written; negative if bytes were dropped. */
  onBytes(bytes: number): void;
  /** Called with the strong ETag of the bytes from now on. */
  onEtag(etag: string | undefined): Promise<void>;
  partBytes?: number;
}

/** Appends the missing bytes of `file`. Earlier bytes are deleted if the server has other ones now. Throws HubError if the connection keeps
 *  breaking, StorageError if there is no room, and StoppedError; written bytes stay. */
export async function fetchRest(
  client: HubClient,
  url: string,
  file: StoredFile,
  partial: PartialFile,
  hooks: FetchHooks,
): Promise<void> {
  const rest = new Rest(client, url, file, partial, hooks);
  await rest.begin();
  // Only a new maximum counts as progress; a server that always breaks at the same byte must not be retried for ever.
  let furthest = rest.there;
  const progressed = () => {
    const further = rest.there > furthest;
    furthest = Math.max(furthest, rest.there);
    return further;
  };
  while (rest.there < file.bytes) await client.retrying(file.path, () => rest.fetchPart(), progressed);
}

class Rest {
  /** Bytes stored so far. */
  there = 0;
  #etag: string | undefined;
  #restarts = 0;

  constructor(
    private readonly client: HubClient,
    private readonly url: string,
    private readonly file: StoredFile,
    private readonly partial: PartialFile,
    private readonly hooks: FetchHooks,
  ) {
    this.#etag = file.etag;
  }

  async begin(): Promise<void> {
    this.there = await this.partial.size();
    if (this.there > this.file.bytes) await this.#drop();
    // An append of nothing creates an empty file.
    if (this.file.bytes === 0) await this.partial.append(new Uint8Array(0));
  }

  /** Makes one request and writes every byte that arrives. A hole before it is written as zeros. */
  async fetchPart(): Promise<void> {
    const { bytes, path, holes = [] } = this.file;
    await this.#fillHole();
    if (this.there === bytes) return;
    const next = holes.find(([from]) => from > this.there)?.[0] ?? bytes;
    const end = Math.min(next, this.there + (this.hooks.partBytes ?? PART_BYTES));
    let response: Response;
    try {
      response = await this.client.getRange(this.url, this.there, end, this.#etag);
    } catch (error) {
      if (error instanceof HubError && error.status === 416) return this.#restart();
      throw error;
    }
    const isWhole = response.status !== 206;
    const etag = strongEtag(response);
    const differs = this.#etag !== undefined && etag !== undefined && etag !== this.#etag;
    // If the hash is known, it decides at the end, since some caches change ETags without reason.
    const isHashKnown = (this.file.sha256 ?? this.file.gitSha1 ?? null) !== null;
    const isChanged = differs && (this.#restarts === 0 || !isHashKnown);
    if (isChanged || (!isWhole && !isContinuation(response, this.there, bytes))) {
      await this.#restart();
      if (!isWhole) return void response.body?.cancel().catch(() => {});
    }
    if (etag !== undefined && etag !== this.#etag) await this.#remember(etag);
    const before = this.there;
    // A server without ranges sends the whole file, so the stored part is skipped.
    await this.#append(response, isWhole ? this.there : 0, (isWhole ? next : end) - this.there);
    if (this.there === before) throw new ConnectionLost(`${path} ended after ${before} of its ${bytes} bytes`);
  }

  async #fillHole(): Promise<void> {
    const hole = this.file.holes?.find(([from, to]) => from <= this.there && this.there < to);
    if (!hole) return;
    while (this.there < hole[1]) {
      const zeros = new Uint8Array(Math.min(PIECE_BYTES, hole[1] - this.there));
      await this.partial.append(zeros);
      this.there += zeros.length;
    }
  }

  /** Writes `most` bytes of the body after its first `skip`, including those that came before a break. */
  async #append(response: Response, skip: number, most: number): Promise<void> {
    let pieces: Uint8Array[] = [];
    let gathered = 0;
    let wanted = most;
    const write = async () => {
      if (gathered === 0) return;
      const piece = new Uint8Array(gathered);
      let at = 0;
      for (const part of pieces) {
        piece.set(part, at);
        at += part.length;
      }
      pieces = [];
      gathered = 0;
      await this.partial.append(piece);
      this.there += piece.length;
      this.hooks.onBytes(piece.length);
    };
    try {
      for await (let piece of this.client.pieces(response)) {
        if (skip > 0) {
          const passed = Math.min(skip, piece.length);
          skip -= passed;
          piece = piece.subarray(passed);
        }
        const isTooMuch = piece.length > wanted;
        piece = piece.subarray(0, wanted);
        wanted -= piece.length;
        pieces.push(piece);
        gathered += piece.length;
        if (gathered >= PIECE_BYTES) await write();
        if (isTooMuch) break;
      }
    } finally {
      await write();
    }
  }

  async #restart(): Promise<void> {
    if (this.#restarts++ === MOST_RESTARTS) {
      throw new HubError(
        `${this.file.path} is another file on the server each time that it is asked for.`,
        'Name a commit as the revision, or start it again later.',
        null,
      );
    }
    await this.#drop();
  }

  async #remember(etag: string | undefined): Promise<void> {
    this.#etag = etag;
    await this.hooks.onEtag(etag);
  }

  async #drop(): Promise<void> {
    await this.partial.clear();
    await this.#remember(undefined);
    this.hooks.onBytes(-usedBytes(this.file, this.there));
    this.there = 0;
  }
}

/** Ignores weak ETags, which do not guarantee the same bytes. */
function strongEtag(response: Response): string | undefined {
  const etag = response.headers.get('etag');
  return etag && !etag.startsWith('W/') ? etag : undefined;
}

/** Whether a partial answer begins at the requested byte of a file with the right length. A page may be unable to see that header. */
function isContinuation(response: Response, at: number, bytes: number): boolean {
  const header = response.headers.get('content-range');
  if (header === null) return true;
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header.trim()) ?? [];
  return Number(from) === at && (total === '*' || Number(total) === bytes);
}

/** A file on the server with a Blob's interface: slices are fetched when they are read. */
export class RangedFile implements FileLike {
  readonly size: number;
  readonly #client: HubClient;
  readonly #url: string;
  readonly #path: string;
  #head: Promise<Uint8Array> | null = null;

  constructor(client: HubClient, url: string, { path, bytes }: { path: string; bytes: number }) {
    this.#client = client;
    this.#url = url;
    this.#path = path;
    this.size = bytes;
  }

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: async () => bufferOf(await this.#read(start, Math.min(end, this.size))) };
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return bufferOf(await this.#read(0, this.size));
  }

  async text(): Promise<string> {
    checkTextSize(this.#path, this.size);
    return new TextDecoder().decode(await this.#read(0, this.size));
  }

  async #read(start: number, end: number): Promise<Uint8Array> {
    if (end <= start) return new Uint8Array(0);
    const headEnd = Math.min(this.size, HEAD_BYTES);
    if (end > headEnd) return this.#fetch(start, end);
    this.#head ??= this.#fetch(0, headEnd);
    return (await this.#head).subarray(start, end);
  }

  #fetch(start: number, end: number): Promise<Uint8Array> {
    return this.#client.retrying(this.#path, async () => {
      const response = await this.#client.getRange(this.#url, start, end);
      const bytes = new Uint8Array(end - start);
      if (response.status === 206 && !isContinuation(response, start, this.size)) {
        await response.body?.cancel().catch(() => {});
        throw new ConnectionLost(`${this.#path} was answered with other bytes than those from ${start}`);
      }
      // Position within the slice; negative before its first byte.
      let at = response.status === 206 ? 0 : -start;
      for await (const piece of this.#client.pieces(response)) {
        const part = piece.subarray(Math.max(0, -at), Math.max(0, Math.min(piece.length, bytes.length - at)));
        if (part.length > 0) bytes.set(part, Math.max(0, at));
        at += piece.length;
        if (at >= bytes.length) return bytes;
      }
      throw new ConnectionLost(`${this.#path} ended after ${Math.max(0, at) + start} of its ${this.size} bytes`);
    });
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
