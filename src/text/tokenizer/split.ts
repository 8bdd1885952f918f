// The pre-tokenizers of a tokenizer.json, which split a text into the pieces that the model tokenizes, as in the Rust library.
// `@huggingface/tokenizers` supports only one behaviour of `Split` and `Punctuation` and only ASCII digits and words, and does not split
// at `Metaspace`; only its translation of patterns is used here.
import { SplitPreTokenizer } from '@huggingface/tokenizers';
import { byteCharacters } from './bytes.ts';
import { BEHAVIOURS, type Behaviour, by, type Split } from './cut.ts';
import { isObject, type Json, listOfObjects, PUNCTUATION, shown, unsupported, WHITE, WORD } from './json.ts';

const GPT2 = new RegExp(
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^${WHITE}\p{L}\p{N}]+|${WHITE}+(?!\P{White_Space})|${WHITE}+`,
  'gu',
);

/** The pre-tokenizer; null if there is none, so that a text is one piece. Throws FormatError for an unsupported type. */
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
