// Pre-tokenizers of a tokenizer.json: a text in the pieces within which tokens are looked for, as the Rust library cuts them.
// `@huggingface/tokenizers` knows one behaviour of `Split` and `Punctuation`, ASCII digits and words alone, and does not split at
// `Metaspace`; its translation of the patterns is used here.
import { SplitPreTokenizer } from '@huggingface/tokenizers';
import { byteCharacters } from './bytes.ts';
import { isObject, type Json, listOfObjects, PUNCTUATION, shown, unsupported, WHITE, WORD } from './json.ts';

/** `isFirst`: it begins where the whole text begins. */
export interface Piece {
  text: string;
  isFirst: boolean;
}
type Split = (piece: Piece) => Piece[];

/** What becomes of a match of the pattern. */
const BEHAVIOURS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

interface Part {
  text: string;
  isMatch: boolean;
}

const GPT2 = new RegExp(
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^${WHITE}\p{L}\p{N}]+|${WHITE}+(?!\P{White_Space})|${WHITE}+`,
  'gu',
);

/** Null where there is none: a text is one piece then. Throws FormatError for a kind that is not supported. */
export function splitterOf(json: unknown): Split | null {
  return isObject(json) ? stepOf(json) : null;
}

function stepOf(step: Json): Split {
  const { type } = step;
  switch (type) {
    case 'Sequence': {
      const steps = listOfObjects(step.pretokenizers).map(stepOf);
      return (piece) => steps.reduce((pieces, split) => pieces.flatMap(split), [piece]);
    }
    case 'Split':
      return by(patternOf(step), behaviourOf(step), step.invert === true);
    case 'Punctuation':
      return by(new RegExp(`[${PUNCTUATION}]`, 'gu'), behaviourOf(step, 'Isolated'));
    case 'Digits':
      return by(/\p{N}/gu, step.individual_digits === true ? 'Isolated' : 'Contiguous');
    case 'Whitespace':
      return by(new RegExp(`[${WORD}]+|[^${WORD}${WHITE}]+`, 'gu'), 'Removed', true);
    case 'WhitespaceSplit':
      return by(new RegExp(WHITE, 'gu'), 'Removed');
    case 'BertPreTokenizer': {
      const words = by(new RegExp(WHITE, 'gu'), 'Removed');
      const marks = by(new RegExp(`[${PUNCTUATION}]`, 'gu'), 'Isolated');
      return (piece) => words(piece).flatMap(marks);
    }
    case 'ByteLevel':
      return byteLevel(step);
    case 'Metaspace':
      return metaspace(step);
    default:
      throw unsupported(`the pre-tokenizer ${String(type).slice(0, 40)}`);
  }
}

function behaviourOf({ behavior, type }: Json, fallback?: Behaviour): Behaviour {
  const found = behavior ?? fallback;
  const known = BEHAVIOURS.find((name) => name === found);
  if (known) return known;
  throw unsupported(`the behaviour ${shown(found)} of ${String(type)}`);
}

function patternOf({ pattern }: Json): RegExp {
  const made = new SplitPreTokenizer({ type: 'Split', pattern, behavior: 'Isolated', invert: true } as never).pattern;
  if (made) return made;
  throw unsupported('a Split without a pattern');
}

const by = (pattern: RegExp, behaviour: Behaviour, isInverted = false): Split => {
  const cut = CUTS[behaviour];
  return ({ text, isFirst }) => {
    const parts = cut(partsOf(text, pattern, isInverted));
    let at = 0;
    return parts.flatMap(({ text: part, isMatch: isRemoved }) => {
      const piece = { text: part, isFirst: isFirst && at === 0 };
      at += part.length;
      return isRemoved || part === '' ? [] : [piece];
    });
  };
};

/** The text in matches and what lies between them, none of it empty but for an empty match. */
function partsOf(text: string, pattern: RegExp, isInverted: boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (at < index) parts.push({ text: text.slice(at, index), isMatch: isInverted });
    parts.push({ text: match, isMatch: !isInverted });
    at = index + match.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMatch: isInverted });
  return parts;
}

/** Parts → parts of which those with `isMatch` are left out. */
const CUTS: Readonly<Record<Behaviour, (parts: readonly Part[]) => Part[]>> = {
  Removed: (parts) => [...parts],
  Isolated: (parts) => parts.map(kept),
  Contiguous: (parts) => joined(parts, (is, was) => is === was),
  MergedWithPrevious: (parts) => joined(parts, (is, was) => is && !was),
  MergedWithNext: (parts) =>
    joined(parts.map(({ text, isMatch }) => ({ text: reversed(text), isMatch })).reverse(), (is, was) => is && !was)
      .map(({ text }) => ({ text: reversed(text), isMatch: false }))
      .reverse(),
};
const kept = ({ text }: Part): Part => ({ text, isMatch: false });
/** By UTF-16 units: twice gives the same text. */
const reversed = (text: string): string => text.split('').reverse().join('');

/** Joins a part to the one before it where `joins` says so of whether it, and the one before, is a match. */
function joined(parts: readonly Part[], joins: (is: boolean, was: boolean) => boolean): Part[] {
  const made: Part[] = [];
  let was = false;
  for (const part of parts) {
    const last = made.at(-1);
    if (last && joins(part.isMatch, was)) last.text += part.text;
    else made.push(kept(part));
    was = part.isMatch;
  }
  return made;
}

function byteLevel({ add_prefix_space = true, use_regex = true }: Json): Split {
  const words = by(GPT2, 'Isolated');
  return ({ text, isFirst }) => {
    const whole = { text: add_prefix_space && !text.startsWith(' ') ? ` ${text}` : text, isFirst };
    return (use_regex ? words(whole) : [whole]).map((piece) => ({ ...piece, text: byteCharacters(piece.text) }));
  };
}

const SCHEMES = ['always', 'first', 'never'];

function metaspace(step: Json): Split {
  const replacement = String(step.replacement ?? '▁');
  const scheme = step.prepend_scheme ?? (step.add_prefix_space === false ? 'never' : 'always');
  if (!SCHEMES.includes(String(scheme))) throw unsupported(`the prepend_scheme ${shown(scheme)} of Metaspace`);
  if ([...replacement].length !== 1) throw unsupported(`the replacement ${shown(replacement)} of Metaspace`);
  const words = by(new RegExp(replacement.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gu'), 'MergedWithNext');
  return ({ text, isFirst }) => {
    const marked = text.replaceAll(' ', () => replacement);
    const isMarked = !marked.startsWith(replacement) && (scheme === 'always' || (scheme === 'first' && isFirst));
    const whole = { text: isMarked ? replacement + marked : marked, isFirst };
    return step.split === false ? [whole] : words(whole);
  };
}
