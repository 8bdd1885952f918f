// The normalizers of a tokenizer.json, which change a text before it is split, as in the Rust library. `@huggingface/tokenizers` differs: it
// lowercases by JavaScript's rules (a final sigma), strips JavaScript's white space, and interprets `$&` in a replacement.
import { ReplaceNormalizer } from '@huggingface/tokenizers';
import { byteCharacters } from './bytes.ts';
import { isObject, type Json, listOfObjects, unsupported, WHITE } from './json.ts';

export type Normalize = (text: string) => string;

const START = new RegExp(`^${WHITE}+`, 'u');
const END = new RegExp(`${WHITE}+$`, 'u');
const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'];

/** The normalizer; null if there is none. Throws FormatError for an unsupported type. */
export function normalizerOf(json: unknown): Normalize | null {
  return isObject(json) ? stepOf(json) : null;
}

function stepOf(step: Json): Normalize {
  const type = String(step.type);
  if (FORMS.includes(type)) return (text) => text.normalize(type);
  switch (type) {
    case 'Sequence': {
      const steps = listOfObjects(step.normalizers).map(stepOf);
      return (text) => steps.reduce((at, normalize) => normalize(at), text);
    }
    // Each character is lowercased on its own, as in the Rust library.
    case 'Lowercase':
      return (text) => Array.from(text, (char) => char.toLowerCase()).join('');
    case 'Strip':
      return (text) => {
        const left = step.strip_left ? text.replace(START, '') : text;
        return step.strip_right ? left.replace(END, '') : left;
      };
    case 'StripAccents':
      return (text) => text.replace(/\p{M}/gu, '');
    case 'Prepend':
      return (text) => (text === '' ? '' : `${step.prepend}${text}`);
    case 'Replace': {
      const { pattern } = new ReplaceNormalizer(step as never);
      if (!pattern) throw unsupported('a Replace normalizer without a pattern');
      return (text) => text.replaceAll(pattern, () => String(step.content ?? ''));
    }
    case 'ByteLevel':
      return byteCharacters;
    default:
      throw unsupported(`the normalizer ${type.slice(0, 40)}`);
  }
}
