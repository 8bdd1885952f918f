// Engines of the soft judge without a model: one that always gives the same answer, as in recorded runs, and one that counts words. The
// strict judge is in strict/.
import type { SoftEngine, SoftQuestion } from './soft.ts';

/** Accepts everything, or rejects everything, and counts its calls. */
export class ConstantEngine implements SoftEngine {
  calls = 0;

  constructor(private readonly answer: boolean) {}

  judge(): boolean {
    this.calls++;
    return this.answer;
  }

  subtask(): string {
    this.calls++;
    return '';
  }
}

const FACT = /[\p{L}\p{N}][\p{L}\p{N}@.:_'-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu;
const words = (text: string): string[] => text.normalize('NFC').match(FACT) ?? [];
const bare = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');

/** Parts that other words cannot replace: numbers, times, addresses, and names (capitals within a sentence). */
function facts(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(FACT)) {
    const before = text.slice(0, match.index).trimEnd();
    const beginsSentence = before === '' || /[.!?:\n]$/.test(before);
    const isName = /^\p{Lu}/u.test(match[0]) && !beginsSentence;
    if (isName || /[\p{N}@]/u.test(match[0])) found.push(bare(match[0]));
  }
  return found;
}

/** Share of the reference's longer words that an agent's text must contain. */
const SHARE = 0.5;
/** A text longer than the reference by this factor counts as a mere collection of words. */
const MOST_LONGER = 4;

/**
 * Accepts a text that has every number and name of the reference and half of its longer words, and is no mere collection of words. It does
 * not read what the text says about them, so a denial passes. Runs published before `strict` existed were judged by it.
 */
export const wordsEngine: SoftEngine = {
  judge: ({ checker, agentCall, oracleCall }: SoftQuestion) => {
    if (checker === 'sanity_checker' || checker === 'tone_checker') return !/[{}<>]|```/.test(agentCall);
    if (checker === 'signature_checker') return !/\b(assistant|user)\s*$/i.test(agentCall);
    const has = new Set(words(agentCall).map(bare));
    const wanted = words(oracleCall)
      .map(bare)
      .filter((word) => word.length > 3);
    const met = wanted.filter((word) => has.has(word)).length;
    const isHeap = words(agentCall).length > MOST_LONGER * words(oracleCall).length + 20;
    return !isHeap && facts(oracleCall).every((fact) => has.has(fact)) && met >= SHARE * wanted.length;
  },
  subtask: ({ task }) => task,
};
