// Converts a scenario's documents when it is loaded, in a worker that is terminated if a document exceeds its limits. Whether a document
// takes too long depends on the machine; the only consequence is that the document is refused.

import { fromBase64 } from '../../../base64.ts';
import { type Document, Documents, documentKind, MOST } from '../../../documents.ts';
import { type Trace, withDocuments } from '../../../scenario/schema.ts';
import type { FromConverter, ToConverter } from './convert.ts';

/** A worker that runs serveConversions. */
export interface Converter {
  post(message: ToConverter): void;
  onMessage(take: (message: FromConverter) => void): void;
  /** Calls `died` if the worker ends by itself. */
  onDied(died: () => void): void;
  terminate(): void;
}

export type StartConverter = () => Converter;

export interface ConvertOptions {
  readonly signal?: AbortSignal;
  /** Texts of an earlier conversion; these documents are not converted again. */
  readonly known?: Documents;
}

/** Adds to a trace the texts of its documents (files and attachments in the apps' states). Rejects with the signal's reason. */
export async function convertDocuments(
  trace: Trace,
  start: StartConverter,
  options: ConvertOptions = {},
): Promise<Trace> {
  const { signal, known = new Documents() } = options;
  const documents = [...documentsOf(trace.apps)].filter((one) => !known.has(one));
  if (documents.length === 0 && options.known === undefined) return trace;
  const end = performance.now() + MOST.secondsInAll * 1000;
  let converter: Converter | null = null;
  try {
    for (const [place, document] of documents.entries()) {
      signal?.throwIfAborted();
      if (known.has(document)) continue;
      const refused = refusal(document, place, end - performance.now());
      if (refused !== null) {
        known.add(document, { problem: refused });
        continue;
      }
      converter ??= start();
      const outcome = await converted(converter, place, document, end - performance.now(), signal);
      if (outcome.isEnded) converter = null;
      known.add(document, outcome);
    }
  } finally {
    converter?.terminate();
  }
  return withDocuments(trace, known);
}

function refusal({ bytes }: Document, place: number, left: number): string | null {
  if (bytes.length === 0) return 'It is empty.';
  if (bytes.length > MOST.file) return `It has more than ${MOST.file / 2 ** 20} MiB.`;
  if (place >= MOST.documents) return `The scenario has more than ${MOST.documents} documents.`;
  return left > 0 ? null : `The scenario’s documents take more than ${MOST.secondsInAll} s.`;
}

type Converted = ({ text: string } | { problem: string }) & { readonly isEnded?: true };

/** Converts one document; its libraries must load within `left` milliseconds. Rejects with the signal's reason. */
function converted(
  converter: Converter,
  id: number,
  document: Document,
  left: number,
  signal?: AbortSignal,
): Promise<Converted> {
  const { kind, bytes } = document;
  return new Promise((resolve, reject) => {
    const settle = (outcome: Converted) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      if (outcome.isEnded) converter.terminate();
      resolve(outcome);
    };
    const stop = () => {
      clearTimeout(timer);
      converter.terminate();
      reject(signal?.reason);
    };
    const after = (milliseconds: number, seconds: number) =>
      setTimeout(() => settle({ problem: `Reading it takes more than ${seconds} s.`, isEnded: true }), milliseconds);
    let timer = after(left, MOST.secondsInAll);
    signal?.addEventListener('abort', stop, { once: true });
    converter.onDied(() =>
      settle({ problem: `Reading it takes more than ${MOST.heap / 2 ** 20} MiB of memory.`, isEnded: true }),
    );
    converter.onMessage((message) => {
      if (message.id !== id) return;
      if ('started' in message) {
        clearTimeout(timer);
        timer = after(MOST.seconds * 1000, MOST.seconds);
      } else settle('text' in message ? { text: message.text } : { problem: message.problem });
    });
    converter.post({ id, kind, bytes });
  });
}

/**
 * Files are `{ name, base64 }` or `{ name, content }` in a file system's state; attachments are base64 by name in a mail, and `{
 * attachment_name, attachment }` in a message.
 */
function* documentsOf(value: unknown): Generator<Document> {
  // An explicit stack, since a state may nest as deep as JSON does.
  const open: unknown[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { name, base64, content, attachment, attachment_name: attached } = next as Readonly<Record<string, unknown>>;
    if (typeof attached === 'string' && typeof attachment === 'string')
      yield* documentOf(attached, () => fromBase64(attachment));
    if (typeof name === 'string' && typeof base64 === 'string') yield* documentOf(name, () => fromBase64(base64));
    else if (typeof name === 'string' && typeof content === 'string')
      yield* documentOf(name, () => new TextEncoder().encode(content));
    for (const [key, inner] of Object.entries(next)) {
      if (typeof inner === 'string') yield* documentOf(key, () => fromBase64(inner));
      else open.push(inner);
    }
  }
}

function* documentOf(name: string, bytes: () => Uint8Array): Generator<Document> {
  const kind = documentKind(name);
  if (kind !== null) yield { name, kind, bytes: bytes() };
}
