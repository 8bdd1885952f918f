// Instructions that a small model can follow within 48 tokens: how each is worded in either language, and its checker. Checkers see only
// the form, as the benchmark's do: any text meets many of them (`isBlind`). There are as many upper as lower bounds of length, since
// answers get shorter under any reward.
import type { Language, Topic } from './topics.ts';

export interface Subject {
  topic: Topic;
  language: Language;
}

export interface ShortKind {
  id: string;
  /** Held-out kinds are not in training. */
  isHeldOut?: boolean;
  /** Index of the topic's word that is asked for: an answer with no other word of the topic may be about anything. */
  asksWord?: 0 | 1;
  /** Whether texts without a topic can meet it. */
  isBlind?: boolean;
  ask: Readonly<Record<Language, (topic: Topic) => string>>;
  check(text: string, asked: Subject): boolean;
}

/** Units of length: characters of Chinese, words of English. Punctuation is not counted. */
export const unitsOf = (text: string, language: Language): string[] =>
  language === 'zh' ? (text.match(/[\p{L}\p{N}]/gu) ?? []) : (text.toLowerCase().match(/[\p{L}\p{N}’']+/gu) ?? []);

const length = (text: string, language: Language): number => unitsOf(text, language).length;

/** The text without blanks at the ends, in lower case. */
const plain = (text: string): string => text.trim().toLowerCase();

const timesIn = (text: string, word: string): number => plain(text).split(word.toLowerCase()).length - 1;

const atMost = (id: string, zh: number, en: number): ShortKind => ({
  id,
  isBlind: true,
  ask: { zh: () => `不超过${zh}个字。`, en: () => `Use at most ${en} words.` },
  check: (text, { language }) => length(text, language) <= (language === 'zh' ? zh : en),
});
const atLeast = (id: string, zh: number, en: number): ShortKind => ({
  id,
  ask: { zh: () => `不少于${zh}个字。`, en: () => `Use at least ${en} words.` },
  check: (text, { language }) => length(text, language) >= (language === 'zh' ? zh : en),
});

export const OPENING: Readonly<Record<Language, string>> = { zh: '我觉得', en: 'I think' };

export const SHORT_KINDS: readonly ShortKind[] = [
  {
    id: 'keyword',
    asksWord: 0,
    ask: { zh: ({ words }) => `必须出现“${words.zh[0]}”。`, en: ({ words }) => `Use the word “${words.en[0]}”.` },
    check: (text, { topic, language }) => timesIn(text, topic.words[language][0]) >= 1,
  },
  {
    id: 'keyword_twice',
    asksWord: 1,
    ask: {
      zh: ({ words }) => `“${words.zh[1]}”至少出现两次。`,
      en: ({ words }) => `Use the word “${words.en[1]}” at least twice.`,
    },
    check: (text, { topic, language }) => timesIn(text, topic.words[language][1]) >= 2,
  },
  {
    id: 'forbidden',
    isBlind: true,
    ask: { zh: ({ name }) => `不要出现“${name.zh}”。`, en: ({ name }) => `Do not use the words “${name.en}”.` },
    check: (text, { topic, language }) => timesIn(text, topic.name[language]) === 0,
  },
  atMost('max10', 10, 6),
  atMost('max20', 20, 12),
  atLeast('min20', 20, 12),
  atLeast('min30', 30, 20),
  {
    id: 'no_comma',
    isBlind: true,
    ask: { zh: () => '不要使用逗号。', en: () => 'Do not use commas.' },
    check: (text) => !/[,，]/.test(text),
  },
  {
    id: 'exclaim',
    ask: { zh: () => '用感叹号结尾。', en: () => 'End with an exclamation mark.' },
    check: (text) => /[!！]$/.test(text.trim()),
  },
  {
    id: 'question',
    ask: { zh: () => '用问号结尾。', en: () => 'End with a question mark.' },
    check: (text) => /[?？]$/.test(text.trim()),
  },
  {
    id: 'digit',
    // The digit 一 is missing, since it is mostly part of words that do not count anything.
    ask: { zh: () => '必须包含一个数字。', en: () => 'Use a number.' },
    check: (text, { language }) => (language === 'zh' ? /[\d二两三四五六七八九十百千万亿]/ : /\d/).test(text),
  },
  {
    id: 'items',
    ask: { zh: () => '用顿号列出三样东西。', en: () => 'Name three things, separated by semicolons.' },
    check: (text, { language }) => {
      const parts = text.split(language === 'zh' ? '、' : ';').filter((part) => length(part, language) > 0);
      return parts.length >= 3;
    },
  },
  {
    id: 'quoted',
    ask: { zh: () => '把回答放在双引号“”里。', en: () => 'Put the answer in double quotation marks.' },
    check: (text) => /^["“][\s\S]+["”]$/.test(text.trim()),
  },
  {
    id: 'title',
    isHeldOut: true,
    ask: { zh: () => '写一个标题，放在《》里。', en: () => 'Give it a title, wrapped in << and >>.' },
    check: (text, { language }) =>
      (language === 'zh' ? /《[^《》\n]*[^《》\s][^《》\n]*》/ : /<<[^<>\n]*\w[^<>\n]*>>/).test(text),
  },
  {
    id: 'begins',
    isHeldOut: true,
    ask: { zh: () => `以“${OPENING.zh}”开头。`, en: () => `Begin with “${OPENING.en}”.` },
    check: (text, { language }) => plain(text).startsWith(plain(OPENING[language])),
  },
];

export const shortKind = (id: string): ShortKind => SHORT_KINDS.find((kind) => kind.id === id)!;
