// Kinds about a text's length, and about the words in it. Length: words, sentences, paragraphs.

import * as z from 'zod/mini';
import { ArgumentError, count, holds, type Kind, kind, none, relation, searchOf, word, words } from './kind.ts';
import { BLANKS, isBlank, isLower, isUpper, strip, stripOf, treebankWords, WORD, wordsOf } from './python-text.ts';

const RUN = new RegExp(`[${WORD}]+`, 'gu');
const DIVIDER = new RegExp(`[${BLANKS}]?\\*\\*\\*[${BLANKS}]?`, 'u');

/** The first word in lower case; it ends at a punctuation mark. */
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
        // Blank parts are not counted, but keep their position.
        const counted = parts.filter((part) => !isBlank(part)).length;
        if (nth_paragraph > counted) return false;
        const paragraph = strip(parts[nth_paragraph - 1]);
        if (paragraph === '') return false;
        return counted === num_paragraphs && firstWord(paragraph) === first_word.toLowerCase();
      };
    },
  }),
];

// Kinds about words and letters: keywords, case, commas, the language.

/** Python's \b on either side of a literal text, if a word character ends or begins it. */
function edges(text: string): readonly [string, string] {
  const isWord = (char: string | undefined) => char !== undefined && new RegExp(`[${WORD}]`, 'u').test(char);
  const chars = [...text];
  return [
    isWord(chars[0]) ? `(?<![${WORD}])` : `(?<=[${WORD}])`,
    isWord(chars.at(-1)) ? `(?![${WORD}])` : `(?=[${WORD}])`,
  ];
}

const lettersOf = (text: string, letter: string): number => text.toLowerCase().split(letter.toLowerCase()).length - 1;

/** A text without features has no language, and counts as any. */
const isEnglish = (language: string | null): boolean => language === null || language === 'en';

export const WORD_KINDS: readonly Kind[] = [
  kind({
    id: 'keywords:existence',
    args: z.strictObject({ keywords: words }),
    check({ keywords }) {
      const searches = keywords.map((keyword) => searchOf('keywords', keyword));
      return (text) => searches.every((search) => search.test(text));
    },
  }),
  kind({
    id: 'keywords:frequency',
    args: z.strictObject({ keyword: word, frequency: count, relation }),
    check({ keyword, frequency, relation }) {
      const search = searchOf('keyword', keyword.trim());
      return (text) => holds(search.count(text), relation, frequency);
    },
  }),
  kind({
    id: 'keywords:forbidden_words',
    args: z.strictObject({ forbidden_words: words }),
    check({ forbidden_words }) {
      const searches = forbidden_words.map((forbidden) =>
        searchOf('forbidden_words', forbidden, { around: { plain: edges(forbidden), pattern: ['\\b', '\\b'] } }),
      );
      return (text) => !searches.some((search) => search.test(text));
    },
  }),
  kind({
    id: 'keywords:letter_frequency',
    args: z.strictObject({
      // If this is not one of a to z, the reference draws a random letter; here it counts as it is.
      letter: z.string().check(z.refine((letter) => [...letter].length === 1, 'one character')),
      let_frequency: count,
      let_relation: relation,
    }),
    check({ letter, let_frequency, let_relation }) {
      return (text) => holds(lettersOf(text, letter), let_relation, let_frequency);
    },
  }),
  kind({ id: 'punctuation:no_comma', args: none, check: () => (text) => !text.includes(',') }),
  kind({
    id: 'change_case:capital_word_frequency',
    args: z.strictObject({ capital_frequency: count, capital_relation: relation }),
    check({ capital_frequency, capital_relation }) {
      return (text) => holds(treebankWords(text).filter(isUpper).length, capital_relation, capital_frequency);
    },
  }),
  kind({
    id: 'change_case:english_capital',
    args: none,
    needs: 'language',
    check: (_, tools) => (text) => isUpper(text) && isEnglish(tools.language(text)),
  }),
  kind({
    id: 'change_case:english_lowercase',
    args: none,
    needs: 'language',
    check: (_, tools) => (text) => isLower(text) && isEnglish(tools.language(text)),
  }),
  kind({
    id: 'language:response_language',
    args: z.strictObject({ language: word }),
    needs: 'language',
    check({ language }, tools) {
      if (!tools.languages.includes(language))
        throw new ArgumentError('language', `${JSON.stringify(language)} is none of ${tools.languages.join(', ')}`);
      return (text) => (tools.language(text) ?? language) === language;
    },
  }),
];
