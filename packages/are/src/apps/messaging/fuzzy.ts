// Similarity of two names, 0 to 100: the weighted ratio of fuzzy string matching (WRatio of RapidFuzz, with which the reference looks users
// up). It is the best of three: the whole texts, their words in any order, and, if one text is much longer, its best part.
import { compareText, sortedSet } from '../support/text.ts';

/** Weight of a comparison that ignores the order of words. */
const WORDS_SCALE = 0.95;
/** Parts are compared from this ratio of lengths on; beyond the second ratio they get a low weight. */
const PARTS_FROM = 1.5;
const FAR_APART = 8;
const PART_SCALE = 0.9;
const FAR_PART_SCALE = 0.6;

export function weightedRatio(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  const lengths = [[...a].length, [...b].length] as const;
  const apart = Math.max(...lengths) / Math.min(...lengths);
  const whole = ratio(a, b);
  if (apart < PARTS_FROM) return Math.max(whole, wordsRatio(a, b) * WORDS_SCALE);
  const scale = apart <= FAR_APART ? PART_SCALE : FAR_PART_SCALE;
  return Math.max(whole, partRatio(a, b) * scale, wordsPartRatio(a, b) * WORDS_SCALE * scale);
}

/** 200 × length of the longest common subsequence / sum of both lengths. */
function ratio(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  return normalized(editsOf(left, right), left.length + right.length);
}

const normalized = (edits: number, length: number): number => (length === 0 ? 100 : 100 - (100 * edits) / length);

/** Number of insertions and deletions that turn one text into the other. */
function editsOf(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const character of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++)
      next.push(character === b[j - 1] ? row[j - 1]! + 1 : Math.max(row[j]!, next[j - 1]!));
    row = next;
  }
  return a.length + b.length - 2 * row[b.length]!;
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

interface Words {
  a: string[];
  b: string[];
  common: string[];
  onlyA: string[];
  onlyB: string[];
}

function sharedWords(a: string, b: string): Words {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const [setA, setB] = [new Set(left), new Set(right)];
  const without = (words: readonly string[], other: ReadonlySet<string>) =>
    sortedSet(words).filter((word) => !other.has(word));
  const common = sortedSet(left).filter((word) => setB.has(word));
  return { a: left, b: right, common, onlyA: without(left, setB), onlyB: without(right, setA) };
}

/** The better of two: all words sorted, and the common words against the rest. */
function wordsRatio(a: string, b: string): number {
  const words = sharedWords(a, b);
  const { common, onlyA, onlyB } = words;
  if (common.length > 0 && (onlyA.length === 0 || onlyB.length === 0)) return 100;
  const sorted = ratio(joined(words.a), joined(words.b));
  const [restA, restB] = [[...onlyA.join(' ')], [...onlyB.join(' ')]];
  const shared = [...common.join(' ')].length;
  const gap = shared > 0 ? 1 : 0;
  const [lengthA, lengthB] = [shared + gap + restA.length, shared + gap + restB.length];
  const rests = normalized(editsOf(restA, restB), lengthA + lengthB);
  if (shared === 0) return Math.max(sorted, rests);
  const against = (rest: readonly string[], length: number) => normalized(gap + rest.length, shared + length);
  return Math.max(sorted, rests, against(restA, lengthA), against(restB, lengthB));
}

const joined = (words: readonly string[]): string => [...words].sort(compareText).join(' ');

/** The shorter text against the best part of the longer one, which may be cut at either end. */
function partRatio(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  if (left.length > right.length) return bestPart(right, left);
  if (left.length < right.length) return bestPart(left, right);
  return Math.max(bestPart(left, right), bestPart(right, left));
}

function bestPart(short: readonly string[], long: readonly string[]): number {
  if (short.length === 0) return long.length === 0 ? 100 : 0;
  let best = 0;
  for (let end = 1; end < long.length + short.length; end++) {
    const part = long.slice(Math.max(0, end - short.length), Math.min(end, long.length));
    best = Math.max(best, normalized(editsOf(short, part), short.length + part.length));
  }
  return best;
}

/** A common word is a perfect part; without one, the distinct words are compared, sorted. */
function wordsPartRatio(a: string, b: string): number {
  const { a: left, b: right, common, onlyA, onlyB } = sharedWords(a, b);
  if (common.length > 0) return 100;
  return Math.max(partRatio(joined(left), joined(right)), partRatio(onlyA.join(' '), onlyB.join(' ')));
}
