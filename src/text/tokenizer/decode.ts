// The decoders of a tokenizer.json: tokens back to text, as in the Rust library, except that special tokens are kept as text.
// `@huggingface/tokenizers` is not used for bytes: it drops U+FEFF, and makes one U+FFFD of several invalid bytes.
import { BPEDecoder, ReplaceDecoder, StripDecoder, WordPieceDecoder } from '@huggingface/tokenizers';
import { textOfBytes, tokenBytes } from './bytes.ts';
import { isObject, type Json, listOfObjects, unsupported } from './json.ts';

type Decode = (tokens: readonly string[]) => string[];

/** Makes a decoder; `isAdded` says which tokens are literal text. Throws FormatError for an unsupported type. */
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

/** A function that gives the bytes for which a token stands under this decoder; null for a token that is text. */
export function bytesIn(json: unknown): (token: string) => readonly number[] | null {
  const kinds = kindsIn(json);
  if (kinds.includes('ByteLevel')) return tokenBytes;
  if (!kinds.includes('ByteFallback')) return () => null;
  return (token) => {
    const byte = BYTE.exec(token);
    return byte && [Number.parseInt(byte[1], 16)];
  };
}

/** The types of a decoder's steps. */
function kindsIn(step: unknown): unknown[] {
  if (!isObject(step)) return [];
  return step.type === 'Sequence' ? listOfObjects(step.decoders).flatMap(kindsIn) : [step.type];
}

const inLibrary =
  (decoder: { decode_chain(tokens: string[]): string[] }): Decode =>
  (tokens) =>
    decoder.decode_chain([...tokens]);

/** Decodes UTF-8 and keeps U+FEFF, which is part of the text here and no byte-order mark; throws for invalid bytes. */
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

const BYTE = /^<0x([0-9A-Fa-f]{2})>$/;

/** Decodes each run of byte tokens as UTF-8; an invalid run gives one U+FFFD per byte. */
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
