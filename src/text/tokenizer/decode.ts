// Decoders of a tokenizer.json: tokens back to text, as the Rust library does it, but that a special token keeps its own characters.
// `@huggingface/tokenizers` drops a U+FEFF that stands in bytes, and makes one mark of several bytes that are no text.
import { BPEDecoder, ReplaceDecoder, StripDecoder, WordPieceDecoder } from '@huggingface/tokenizers';
import { textOfBytes, tokenBytes } from './bytes.ts';
import { isObject, type Json, listOfObjects, unsupported } from './json.ts';

type Decode = (tokens: readonly string[]) => string[];

/** `isAdded` tells tokens that stand for themselves. Throws FormatError for a kind that is not supported. */
export function decoderOf(json: unknown, isAdded: (token: string) => boolean): (tokens: readonly string[]) => string {
  if (!isObject(json)) return (tokens) => tokens.join(' ');
  const decode = stepOf(json, isAdded);
  return (tokens) => decode(tokens).join('');
}

function stepOf(step: Json, isAdded: (token: string) => boolean): Decode {
  const { type } = step;
  switch (type) {
    case 'Sequence': {
      const steps = listOfObjects(step.decoders).map((held) => stepOf(held, isAdded));
      return (tokens) => steps.reduce<readonly string[]>((at, decode) => decode(at), tokens) as string[];
    }
    case 'ByteLevel':
      return (tokens) => [textOfBytes(tokens, isAdded)];
    case 'ByteFallback':
      return byteFallback;
    case 'Fuse':
      return (tokens) => [tokens.join('')];
    case 'Metaspace':
      return metaspace(step);
    case 'Replace': {
      const { pattern } = new ReplaceDecoder(step as never);
      if (!pattern) throw unsupported('a Replace decoder without a pattern');
      return (tokens) => tokens.map((token) => token.replaceAll(pattern, () => String(step.content ?? '')));
    }
    case 'Strip':
      return inLibrary(new StripDecoder(step as never));
    case 'WordPiece':
      return inLibrary(new WordPieceDecoder(step as never));
    case 'BPEDecoder':
      return inLibrary(new BPEDecoder(step as never));
    default:
      throw unsupported(`the decoder ${String(type).slice(0, 40)}`);
  }
}

/** The bytes of a token under this decoder; null where a token is text. */
export function bytesIn(json: unknown): (token: string) => readonly number[] | null {
  const kinds = kindsIn(json);
  if (kinds.includes('ByteLevel')) return tokenBytes;
  if (!kinds.includes('ByteFallback')) return () => null;
  return (token) => {
    const byte = BYTE.exec(token);
    return byte && [Number.parseInt(byte[1], 16)];
  };
}

/** Kinds of a decoder's steps. */
function kindsIn(step: unknown): unknown[] {
  if (!isObject(step)) return [];
  return step.type === 'Sequence' ? listOfObjects(step.decoders).flatMap(kindsIn) : [step.type];
}

const inLibrary =
  (decoder: { decode_chain(tokens: string[]): string[] }): Decode =>
  (tokens) =>
    decoder.decode_chain([...tokens]);

/** Keeps a U+FEFF, which is a character of the text here. */
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

const BYTE = /^<0x([0-9A-Fa-f]{2})>$/;

/** A run of byte tokens is one text; one that is none gives a mark a byte. */
function byteFallback(tokens: readonly string[]): string[] {
  const made: string[] = [];
  let run: number[] = [];
  const end = () => {
    if (run.length === 0) return;
    try {
      made.push(strictDecoder.decode(Uint8Array.from(run)));
    } catch {
      for (const _ of run) made.push('\ufffd');
    }
    run = [];
  };
  for (const token of tokens) {
    const byte = BYTE.exec(token);
    if (byte) run.push(Number.parseInt(byte[1], 16));
    else {
      end();
      made.push(token);
    }
  }
  end();
  return made;
}

function metaspace(step: Json): Decode {
  const replacement = String(step.replacement ?? '▁');
  const isPrepended =
    step.prepend_scheme === undefined ? step.add_prefix_space !== false : step.prepend_scheme !== 'never';
  return (tokens) => tokens.map((token, i) => token.replaceAll(replacement, () => (i === 0 && isPrepended ? '' : ' ')));
}
