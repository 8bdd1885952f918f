// Kinds about the form of a text, and about its beginning and end. Form: bullets, titles, marked parts, sections, JSON, one of three
// sentences, placeholders, a postscript.

import * as z from 'zod/mini';
import { count, type Kind, kind, none, passage, searchOf, word } from './kind.ts';
import { BLANKS, DIGIT, isBlank, isPythonJson, strip, stripOf } from './python-text.ts';

const BLANK = new RegExp(`[${BLANKS}]`, 'u');

/** Counts lines that begin with the sign, after blanks that may span lines; with `isAlone` another character than the sign must follow.
 *  Takes linear time, where a backtracking pattern takes quadratic time in the number of blanks. */
function signedLines(text: string, sign: string, isAlone: boolean): number {
  let found = 0;
  let at = 0;
  while (at < text.length) {
    let start = at;
    while (start < text.length && BLANK.test(text[start])) start++;
    const isSigned = text[start] === sign;
    const follows = text[start + 1];
    let from = start;
    if (isSigned && (!isAlone || (follows !== undefined && follows !== sign))) {
      found++;
      // The character after a lone sign may be the line's end; then the match includes the next line.
      from = isAlone ? start + 2 : start + 1;
    }
    const end = text.indexOf('\n', from);
    if (end < 0) break;
    // If a match ends at the beginning of a line, the search continues with that line.
    at = from > start && text[from - 1] === '\n' && end === from ? from : end + 1;
  }
  return found;
}

const MARKED = /\*[^\n*]*\*/g;
const DOUBLY_MARKED = /\*\*[^\n*]*\*\*/g;
const isStar = (char: string) => char === '*';

function markedParts(text: string): number {
  const single = (text.match(MARKED) ?? []).filter((part) => !isBlank(stripOf(part, isStar))).length;
  return single + (text.match(DOUBLY_MARKED) ?? []).filter((part) => !isBlank(part.slice(2, -2))).length;
}

/** Whether a line has a non-blank `<<…>>`, from its first `<<` to its last `>>`. */
function hasTitle(text: string): boolean {
  return text.split('\n').some((line) => {
    const from = line.indexOf('<<');
    const to = line.lastIndexOf('>>');
    if (from < 0 || to < from + 3) return false;
    const open = stripOf(line.slice(from, to + 2), (char) => char === '<', 'left');
    return !isBlank(stripOf(open, (char) => char === '>', 'right'));
  });
}

/** Counts the shortest `[…]` within each line. */
const placeholders = (text: string): number =>
  text
    .split('\n')
    .map((line) => {
      let found = 0;
      for (let from = line.indexOf('['); from >= 0; from = line.indexOf('[', from)) {
        const to = line.indexOf(']', from);
        if (to < 0) break;
        found++;
        from = to;
      }
      return found;
    })
    .reduce((a, b) => a + b, 0);

const FENCES = ['```json', '```Json', '```JSON', '```'];

/** Removes one fence at the beginning and one at the end, independently. */
function withoutFences(text: string): string {
  const opened = FENCES.reduce(
    (left, fence) => (left.startsWith(fence) ? left.slice(fence.length) : left),
    strip(text),
  );
  return strip(opened.endsWith('```') ? opened.slice(0, -3) : opened);
}

const ANSWERS = ['My answer is yes.', 'My answer is no.', 'My answer is maybe.'];

const S = `[${BLANKS}]`;
/** A blank may follow a dot in these two. */
const POSTSCRIPTS: Readonly<Record<string, RegExp>> = {
  'P.P.S': new RegExp(`p\\.${S}?p\\.${S}?s`, 'u'),
  'P.S.': new RegExp(`p\\.${S}?s\\.`, 'u'),
};

export const FORMAT_KINDS: readonly Kind[] = [
  kind({
    id: 'detectable_format:number_bullet_lists',
    args: z.strictObject({ num_bullets: count }),
    check({ num_bullets }) {
      return (text) => signedLines(text, '*', true) + signedLines(text, '-', false) === num_bullets;
    },
  }),
  kind({
    id: 'detectable_format:number_highlighted_sections',
    args: z.strictObject({ num_highlights: count }),
    check({ num_highlights }) {
      return (text) => markedParts(text) >= num_highlights;
    },
  }),
  kind({
    id: 'detectable_format:multiple_sections',
    args: z.strictObject({ section_spliter: word, num_sections: count }),
    check({ section_spliter, num_sections }) {
      const search = searchOf('section_spliter', strip(section_spliter), {
        ignoresCase: false,
        around: { plain: [`${S}?`, `${S}?${DIGIT}+${S}?`], pattern: ['\\s?', '\\s?\\d+\\s?'] },
      });
      return (text) => search.count(text) >= num_sections;
    },
  }),
  kind({ id: 'detectable_format:title', args: none, check: () => hasTitle }),
  kind({ id: 'detectable_format:json_format', args: none, check: () => (text) => isPythonJson(withoutFences(text)) }),
  kind({
    id: 'detectable_format:constrained_response',
    args: none,
    check: () => (text) => ANSWERS.some((answer) => text.includes(answer)),
  }),
  kind({
    id: 'detectable_content:number_placeholders',
    args: z.strictObject({ num_placeholders: count }),
    check({ num_placeholders }) {
      return (text) => placeholders(text) >= num_placeholders;
    },
  }),
  kind({
    id: 'detectable_content:postscript',
    args: z.strictObject({ postscript_marker: word }),
    check({ postscript_marker }) {
      const marker = strip(postscript_marker);
      const known = Object.hasOwn(POSTSCRIPTS, marker) ? POSTSCRIPTS[marker] : null;
      if (known) return (text) => known.test(text.toLowerCase());
      const search = searchOf('postscript_marker', marker.toLowerCase());
      return (text) => search.test(text.toLowerCase());
    },
  }),
];

// Kinds about beginnings and ends, and about repetitions and combinations.

const same = (text: string): string => strip(text).toLowerCase();

export const END_KINDS: readonly Kind[] = [
  kind({
    id: 'startend:end_checker',
    args: z.strictObject({ end_phrase: passage }),
    check({ end_phrase }) {
      const wanted = same(end_phrase);
      return (text) =>
        stripOf(strip(text), (char) => char === '"')
          .toLowerCase()
          .endsWith(wanted);
    },
  }),
  kind({
    id: 'startend:quotation',
    args: none,
    check: () => (text) => {
      const bare = strip(text);
      return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"');
    },
  }),
  kind({
    id: 'combination:repeat_prompt',
    args: z.strictObject({ prompt_to_repeat: passage }),
    check({ prompt_to_repeat }) {
      const wanted = same(prompt_to_repeat);
      return (text) => same(text).startsWith(wanted);
    },
  }),
  kind({
    id: 'combination:two_responses',
    args: none,
    check: () => (text) => {
      const parts = text.split('******');
      const isInner = (i: number) => i > 0 && i < parts.length - 1;
      if (parts.some((part, i) => isInner(i) && isBlank(part))) return false;
      const sentences = parts.filter((part) => !isBlank(part)).map(strip);
      return sentences.length === 2 && sentences[0] !== sentences[1];
    },
  }),
];
