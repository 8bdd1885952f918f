// One interface for files in a folder on a server, on disk (sources.node.ts) or in memory.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { digestOf, Sha256 } from '@projected-grpo-lab/base/sha256.ts';
import type { ByteSource } from './safetensors.ts';

/** The interface of a file that readers need; Blob has it. */
export interface FileLike extends ByteSource {
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  /** A faster sha-256 than the lab's own in JavaScript, if there is one. */
  hasher?(): { update(bytes: Uint8Array): unknown; digest(): string };
}

export interface FileSource {
  /** URL or folder, for messages. */
  readonly label: string;
  /** Null if there is no such file. `path` uses forward slashes and stays inside the source. */
  read(path: string): Promise<FileLike | null>;
  /** Hashes that are known from the download of the files: path → hex sha-256. */
  sums?(): Promise<ReadonlyMap<string, string>>;
}

/** Files of each of the lab's own models. Other optional files are not requested, since every missing one would be an error in the
 *  browser's console. */
export const OWN_MODEL_FILES: readonly string[] = [
  'config.json',
  'manifest.json',
  'model.safetensors',
  'tokenizer.json',
  'tokenizer_config.json',
];

/** Files of the lab's own teacher, a model in ONNX. */
export const OWN_TEACHER_FILES: readonly string[] = [
  'config.json',
  'generation_config.json',
  'manifest.json',
  'onnx/model.onnx',
  'tokenizer.json',
  'tokenizer_config.json',
];

/** A source restricted to these files. */
export const onlyOf = ({ label, read }: FileSource, files: readonly string[]): FileSource => ({
  label,
  read: async (path) => (files.includes(path) ? read(path) : null),
});

/** Files below `baseUrl` (which ends in a slash). `onProgress` counts bytes; without a length from the server, total is what has come. */
export function fetchSource(
  baseUrl: string,
  onProgress?: (path: string, done: number, total: number) => void,
): FileSource {
  return {
    label: baseUrl,
    async read(path) {
      const url = new URL(path, baseUrl).href;
      const broken = (error: unknown): never => {
        throw new FormatError(
          `${url} could not be fetched (${error instanceof Error ? error.message : String(error)}).`,
          'Check the connection, and that the server that sent this page still runs.',
          { cause: error },
        );
      };
      const response = await fetch(url).catch(broken);
      // A server of single-page apps answers a request for a missing file with its index page and status 200.
      const isPage = response.headers.get('content-type')?.startsWith('text/html') && !path.endsWith('.html');
      if (response.status === 404 || (response.ok && isPage)) return null;
      if (!response.ok) {
        throw new FormatError(
          `${url} answered with status ${response.status}.`,
          'Reload the page; if it stays, the server is at fault.',
        );
      }
      if (!response.body || !onProgress) return response.blob().catch(broken);
      const total = Number(response.headers.get('content-length') ?? 0);
      let done = 0;
      const counted = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            done += chunk.byteLength;
            onProgress(path, done, Math.max(total, done));
            controller.enqueue(chunk);
          },
        }),
      );
      return new Response(counted).blob().catch(broken);
    },
  };
}

/** Files by name, for tests and for dropped files. */
export function memorySource(files: ReadonlyMap<string, FileLike>, label = 'memory'): FileSource {
  return { label, read: async (path) => files.get(path) ?? null };
}

/** Hex sha-256 of the whole file. */
export async function sha256(file: { arrayBuffer(): Promise<ArrayBuffer> } | Uint8Array): Promise<string> {
  return digestOf('SHA-256', file instanceof Uint8Array ? file : new Uint8Array(await file.arrayBuffer()));
}

/** Files up to this size are hashed at once, which is faster; larger ones are never in memory whole. */
const AT_ONCE = 16 * 2 ** 20;
const PART = 16 * 2 ** 20;

/** Hex sha-256 of a file of any size; beyond 16 MiB it is read in parts. `onBytes` is called with the number of bytes done, and may stop it
 *  by throwing. */
export async function fileSha256(file: FileLike, onBytes: (done: number) => void = () => {}): Promise<string> {
  if (file.size <= AT_ONCE) return sha256(file);
  const hash = file.hasher?.() ?? new Sha256();
  const room = new Uint8Array(PART);
  for (let at = 0; at < file.size; ) {
    const part = await partOf(file, at, room.subarray(0, Math.min(PART, file.size - at)));
    if (part.length === 0) throw new FormatError(`A file ended after ${at} of ${file.size} bytes.`, 'Get it again.');
    hash.update(part);
    at += part.length;
    onBytes(at);
  }
  return hash.digest();
}

async function partOf(file: ByteSource, at: number, room: Uint8Array): Promise<Uint8Array> {
  if (file.readInto) return room.subarray(0, await file.readInto(at, room));
  return new Uint8Array(await file.slice(at, at + room.length).arrayBuffer());
}
