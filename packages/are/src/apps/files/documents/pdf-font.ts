// What the bytes of a PDF's texts mean: by the font's own table to Unicode where it has one, else by its encoding.
import { binary } from './pdf-bytes.ts';
import type { PdfObjects } from './pdf-objects.ts';
import { nameOf, type PdfDict, PdfName, PdfStream, type PdfValue } from './pdf-reader.ts';
import type { Work } from './work.ts';

/** What a shown string stands for, and how wide it is, in thousandths of the letters' height. */
interface Shown {
  text: string;
  width: number;
  /** Glyphs, and those of them that are the one-byte code of a space: spacing is added to them. */
  count: number;
  spaces: number;
}

export interface PdfFont {
  read(bytes: string): Shown;
}

export function fontOf(dict: PdfDict, objects: PdfObjects, work: Work): PdfFont {
  const table = objects.get(dict.get('ToUnicode'));
  const isWide = nameOf(objects.get(dict.get('Subtype'))) === 'Type0';
  const known = table instanceof PdfStream ? unicodeTable(binary(objects.contents(table)), work) : null;
  const named = isWide ? new Map<number, string>() : differencesOf(dict, objects, work);
  const plain = (code: number) => named.get(code) ?? (isWide ? '' : (CP1252[code - 128] ?? String.fromCharCode(code)));
  const widthOf = isWide ? wideWidths(dict, objects, work) : plainWidths(dict, objects, work);
  const step = isWide ? 2 : (known?.width ?? 1);
  return {
    read(bytes) {
      const shown: Shown = { text: '', width: 0, count: 0, spaces: 0 };
      for (let at = 0; at + step <= bytes.length; at += step) {
        const code = step === 1 ? bytes.charCodeAt(at) : 256 * bytes.charCodeAt(at) + bytes.charCodeAt(at + 1);
        shown.text += known?.map.get(code) ?? plain(code);
        shown.width += widthOf(code);
        shown.count++;
        if (step === 1 && code === 32) shown.spaces++;
      }
      return shown;
    },
  };
}

/** ISO 32000-1, 9.7.4.3: `W` has runs `c [w …]` and ranges `c d w`. Codes are taken as the numbers of glyphs. */
function wideWidths(dict: PdfDict, objects: PdfObjects, work: Work): (code: number) => number {
  const font = objects.dict(objects.list(dict.get('DescendantFonts'))[0]);
  const defaultWidth = objects.get(font.get('DW'));
  const widths = new Map<number, number>();
  const put = (code: number, width: PdfValue) => {
    work.piece();
    if (typeof width === 'number') widths.set(code, width);
  };
  const items = objects.list(font.get('W')).map((item) => {
    work.piece();
    return objects.get(item);
  });
  for (let at = 0; at + 1 < items.length; ) {
    const [from, to, width] = [items[at], items[at + 1], items[at + 2]];
    if (typeof from !== 'number') break;
    if (Array.isArray(to)) {
      for (const [n, own] of to.entries()) put(from + n, objects.get(own));
      at += 2;
    } else {
      const last = typeof to === 'number' ? Math.min(to, from + MOST_RANGE) : from;
      for (let code = from; code <= last; code++) put(code, width ?? null);
      at += 3;
    }
  }
  return (code) => widths.get(code) ?? (typeof defaultWidth === 'number' ? defaultWidth : 1000);
}

/** Of a font that has no widths, one of those that every reader has: about Helvetica's, or Courier's. */
function plainWidths(dict: PdfDict, objects: PdfObjects, work: Work): (code: number) => number {
  const number = (value: PdfValue, other: number) => (typeof value === 'number' ? value : other);
  const widths = objects.list(dict.get('Widths')).map((width) => {
    work.piece();
    return number(objects.get(width), 0);
  });
  const first = number(objects.get(dict.get('FirstChar')), 0);
  const missing = number(objects.get(objects.dict(dict.get('FontDescriptor')).get('MissingWidth')), 0);
  // A font of drawn glyphs has units of its own.
  const [scale] = objects.list(dict.get('FontMatrix'));
  const unit = typeof scale === 'number' && scale !== 0 ? Math.abs(scale) * 1000 : 1;
  if (widths.length > 0) return (code) => unit * (widths[code - first] ?? missing);
  const isFixed = /Courier/.test(nameOf(objects.get(dict.get('BaseFont'))) ?? '');
  return (code) => (isFixed ? 600 : aboutWidth(String.fromCharCode(code)));
}

const aboutWidth = (char: string): number => {
  if (/[ijl.,;:'|! tfI()[\]/]/.test(char)) return 278;
  return /[mwMW]/.test(char) ? 833 : /[A-Z]/.test(char) ? 690 : 545;
};

/** Characters that a range may stand for: codes have two bytes. */
const MOST_RANGE = 65_536;

/** ISO 32000-1, 9.10.3: bfchar and bfrange. */
function unicodeTable(text: string, work: Work): { map: Map<number, string>; width: 1 | 2 } {
  const map = new Map<number, string>();
  let width: 1 | 2 = 1;
  const words: string[] = [];
  for (const [word] of text.matchAll(/<[0-9a-fA-F\s]{0,4096}>|\[|\]|[a-zA-Z]+/g)) {
    work.piece();
    words.push(word);
  }
  const hex = (word: string) => word.replace(/[^0-9a-fA-F]/g, '');
  const put = (code: number, value: string) => {
    work.piece();
    map.set(code, value);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === 'begincodespacerange') width = hex(words[at + 1] ?? '').length > 2 ? 2 : 1;
    else if (word === 'beginbfchar') {
      for (at++; words[at]?.startsWith('<'); at += 2)
        put(Number.parseInt(hex(words[at] ?? ''), 16), utf16(hex(words[at + 1] ?? '')));
      at--;
    } else if (word === 'beginbfrange') {
      for (at++; words[at]?.startsWith('<'); ) {
        const from = Number.parseInt(hex(words[at] ?? ''), 16);
        const to = Math.min(Number.parseInt(hex(words[at + 1] ?? ''), 16), from + MOST_RANGE);
        at += 2;
        if (words[at] === '[') {
          let code = from;
          for (at++; words[at]?.startsWith('<'); at++) if (code <= to) put(code++, utf16(hex(words[at] ?? '')));
          at++;
        } else {
          const first = utf16(hex(words[at] ?? ''));
          const last = first.charCodeAt(first.length - 1);
          for (let code = from; code <= to; code++)
            put(code, first.slice(0, -1) + String.fromCharCode(last + code - from));
          at++;
        }
      }
      at--;
    }
  }
  return { map, width };
}

/** Units that one code may stand for. */
const MOST_UNITS = 64;
const utf16 = (digits: string): string =>
  (digits.slice(0, 4 * MOST_UNITS).match(/[0-9a-fA-F]{4}/g) ?? [])
    .map((unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .join('');

/** Codes that the font names otherwise than its encoding does. */
function differencesOf(dict: PdfDict, objects: PdfObjects, work: Work): Map<number, string> {
  const found = new Map<number, string>();
  let code = 0;
  for (const item of objects.list(objects.dict(dict.get('Encoding')).get('Differences'))) {
    work.piece();
    if (typeof item === 'number') code = item;
    else if (item instanceof PdfName) {
      const text = glyphText(item.name);
      if (text !== null) found.set(code, text);
      code++;
    }
  }
  return found;
}

function glyphText(name: string): string | null {
  const [, hex] = /^uni([0-9A-F]{4})$/.exec(name) ?? [];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  const bare = name.replace(/\..*$/, '');
  return bare.length === 1 ? bare : (GLYPHS.get(bare) ?? null);
}

/** Of Adobe's list of glyphs what English texts have: names, each before what it stands for. */
const GLYPHS = new Map<string, string>([
  ['space', ' '],
  ...[
    'exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle \' parenleft ( parenright )',
    'asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7',
    'eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \\',
    'bracketright ] underscore _ grave ` braceleft { bar | braceright } asciitilde ~ endash – emdash — bullet •',
    'quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” ellipsis … fi fi fl fl ff ff ffi ffi ffl ffl minus −',
    'Euro € sterling £ degree ° adieresis ä odieresis ö udieresis ü Adieresis Ä Odieresis Ö Udieresis Ü germandbls ß',
    'eacute é egrave è agrave à ccedilla ç ntilde ñ',
  ].flatMap((line) => Array.from(line.matchAll(/(\S+) (\S+)/g), ([, name = '', text = '']) => [name, text] as const)),
]);

/** Codes 128 to 159 of Windows' encoding. */
const CP1252 = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];
