// How much of it there is: words, sentences, paragraphs.
import * as z from 'zod/mini';
import { BLANKS, isBlank, strip, stripOf, WORD, wordsOf } from '../python-text.ts';
import { count, holds, type Kind, kind, relation, word } from './kind.ts';

const RUN = new RegExp(`[${WORD}]+`, 'gu');
const DIVIDER = new RegExp(`[${BLANKS}]?\\*\\*\\*[${BLANKS}]?`, 'u');

/** Lower case; ends at a sign. */
function firstWord(paragraph: string): string {
  const [first = ''] = wordsOf(paragraph);
  const bare = stripOf(
    stripOf(first, (char) => char === "'", 'left'),
    (char) => char === '"',
    'left',
  );
  const [begun = ''] = bare.split(/[.,?!'"]/);
  return begun.toLowerCase();
}

export const LENGTH_KINDS: readonly Kind[] = [
  kind({
    id: 'length_constraints:number_words',
    args: z.strictObject({ num_words: count, relation }),
    check({ num_words, relation }) {
      return (text) => holds(text.match(RUN)?.length ?? 0, relation, num_words);
    },
  }),
  kind({
    id: 'length_constraints:number_sentences',
    args: z.strictObject({ num_sentences: count, relation }),
    needs: 'sentences',
    check({ num_sentences, relation }, tools) {
      return (text) => holds(tools.sentences(text), relation, num_sentences);
    },
  }),
  kind({
    id: 'length_constraints:number_paragraphs',
    args: z.strictObject({ num_paragraphs: count }),
    check({ num_paragraphs }) {
      return (text) => {
        const parts = text.split(DIVIDER);
        const isInner = (i: number) => i > 0 && i < parts.length - 1;
        if (parts.some((part, i) => isInner(i) && isBlank(part))) return false;
        return parts.filter((part) => !isBlank(part)).length === num_paragraphs;
      };
    },
  }),
  kind({
    id: 'length_constraints:nth_paragraph_first_word',
    args: z.strictObject({ num_paragraphs: count, nth_paragraph: count, first_word: word }),
    check({ num_paragraphs, nth_paragraph, first_word }) {
      return (text) => {
        const parts = text.split('\n\n');
        // Blank parts are not counted, and keep their place.
        const counted = parts.filter((part) => !isBlank(part)).length;
        if (nth_paragraph > counted) return false;
        const paragraph = strip(parts[nth_paragraph - 1]);
        if (paragraph === '') return false;
        return counted === num_paragraphs && firstWord(paragraph) === first_word.toLowerCase();
      };
    },
  }),
];
