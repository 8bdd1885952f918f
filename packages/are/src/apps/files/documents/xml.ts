// XML as Office writes it, tag by tag: names without their prefixes, no document type and so no entities but XML's own five. And what the
// parts of an Office file call each other: ids to paths within the archive (`relationsOf`).
import type { Work } from './work.ts';
import type { Zip } from './zip.ts';

export type Piece =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };
export type Attributes = ReadonlyMap<string, string>;

/** An element without contents opens and closes. What is no XML ends where it is none. */
export function* piecesOf(xml: string, work: Work): Generator<Piece> {
  for (let at = 0; at < xml.length; ) {
    work.piece();
    const open = xml.indexOf('<', at);
    if (open !== at) {
      const end = open < 0 ? xml.length : open;
      yield { kind: 'text', text: plain(xml.slice(at, end)) };
      at = end;
      continue;
    }
    const special = SPECIAL.find(([begin]) => xml.startsWith(begin, at));
    if (special) {
      const [begin, end] = special;
      const close = xml.indexOf(end, at + begin.length);
      const stop = close < 0 ? xml.length : close;
      if (begin === CDATA) yield { kind: 'text', text: xml.slice(at + begin.length, stop) };
      at = stop + end.length;
      continue;
    }
    const close = endOfTag(xml, at);
    if (close < 0) return;
    const tag = xml.slice(at + 1, close);
    at = close + 1;
    if (tag.startsWith('/')) {
      yield { kind: 'close', name: localName(tag.slice(1).trim()) };
      continue;
    }
    const isEmpty = tag.endsWith('/');
    const inner = isEmpty ? tag.slice(0, -1) : tag;
    const [written = ''] = /^[^\s]*/.exec(inner) ?? [];
    const name = localName(written);
    yield { kind: 'open', name, attributes: attributesOf(inner.slice(written.length)) };
    if (isEmpty) yield { kind: 'close', name };
  }
}

const CDATA = '<![CDATA[';
const SPECIAL: readonly (readonly [string, string])[] = [
  ['<?', '?>'],
  ['<!--', '-->'],
  [CDATA, ']]>'],
  ['<!', '>'],
];

/** Of a value in quotes a ">" is a part. */
function endOfTag(xml: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < xml.length; at++) {
    const char = xml[at] as string;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return at;
  }
  return -1;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** By name, with its prefix and without. Each character is looked at once or twice, whatever is written. */
function attributesOf(text: string): Attributes {
  const found = new Map<string, string>();
  for (let at = 0; ; ) {
    const equals = text.indexOf('=', at);
    const quote = equals < 0 ? undefined : text.slice(equals + 1, equals + 3).trimStart()[0];
    if (quote !== '"' && quote !== "'") return found;
    const from = text.indexOf(quote, equals) + 1;
    const to = text.indexOf(quote, from);
    if (to < 0) return found;
    const name = text.slice(at, equals).trim();
    const value = plain(text.slice(from, to));
    found.set(name, value);
    found.set(localName(name), value);
    at = to + 1;
  }
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const plain = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, decimal, hex, name) => {
    if (name) return NAMED[name as string] as string;
    const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** @param part `ppt/presentation.xml`: what it calls others is in `ppt/_rels/presentation.xml.rels` */
export function relationsOf(zip: Zip, part: string, work: Work): Map<string, string> {
  const slash = part.lastIndexOf('/');
  const [folder, name] = [part.slice(0, slash), part.slice(slash + 1)];
  const found = new Map<string, string>();
  for (const piece of piecesOf(zip.readText(`${folder}/_rels/${name}.rels`) ?? '', work)) {
    if (piece.kind !== 'open' || piece.name !== 'Relationship') continue;
    const target = piece.attributes.get('Target') ?? '';
    found.set(piece.attributes.get('Id') ?? '', target.startsWith('/') ? target.slice(1) : joined(folder, target));
  }
  return found;
}

function joined(folder: string, target: string): string {
  const parts = folder.split('/');
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
