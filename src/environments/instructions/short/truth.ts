// What a good answer is, beyond what a checker sees: the rules of the true reward, all of them. An answer is true where its instruction is
// followed, it ended by itself, is on its topic, copies nothing of what was asked, repeats nothing, and is not too short to say anything.
// Whether it is fluent is not among them: that is what perplexity under the base is for. docs/instructions.md has how they agree with a reader.
import { type Asked, type ShortKind, unitsOf } from './kinds.ts';
import type { Language } from './topics.ts';

/** Copied in a row, in units (characters of Chinese, words of English). */
const ECHO: Readonly<Record<Language, number>> = { zh: 6, en: 5 };
const SHORTEST: Readonly<Record<Language, number>> = { zh: 4, en: 3 };
/** The same run of units, so often. */
const RUN: Readonly<Record<Language, number>> = { zh: 3, en: 2 };
const RUNS = 3;
/** One unit's share of an answer that has at least so many. */
const SHARE: Readonly<Record<Language, number>> = { zh: 0.17, en: 0.25 };
const SHARE_FROM: Readonly<Record<Language, number>> = { zh: 18, en: 12 };

export interface Truths {
  onTopic: boolean;
  /** Copies of the question or the requirement. */
  echo: boolean;
  repeats: boolean;
  short: boolean;
}

/** `request`: what was asked, without the sentence that the answer was told to write. */
export function truthsOf(
  answer: string,
  request: string,
  { asksWord }: Pick<ShortKind, 'asksWord'>,
  { topic, language }: Asked,
): Truths {
  const units = unitsOf(answer, language);
  const known = [topic.name[language].replace(/^the /, ''), ...topic.words[language].filter((_, i) => i !== asksWord)];
  const text = answer.toLowerCase();
  return {
    onTopic: known.some((word) => text.includes(word.toLowerCase())),
    echo: longestCopy(units, unitsOf(request, language)) >= ECHO[language],
    repeats: isRepeating(units, language),
    short: units.length < SHORTEST[language],
  };
}

export const isFine = ({ onTopic, echo, repeats, short }: Truths): boolean => onTopic && !echo && !repeats && !short;

/** Units of the longest run that both have. Linear in the product of the two, which are short. */
function longestCopy(a: readonly string[], b: readonly string[]): number {
  let longest = 0;
  let before = new Uint16Array(b.length + 1);
  for (const unit of a) {
    const row = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) {
      if (unit !== b[j - 1]) continue;
      row[j] = before[j - 1] + 1;
      longest = Math.max(longest, row[j]);
    }
    before = row;
  }
  return longest;
}

function isRepeating(units: readonly string[], language: Language): boolean {
  const size = RUN[language];
  const runs = units.slice(0, Math.max(0, units.length - size + 1)).map((_, i) => units.slice(i, i + size).join(' '));
  if (most(runs) >= RUNS) return true;
  return units.length >= SHARE_FROM[language] && most(units) > SHARE[language] * units.length;
}

function most(items: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
