// Presentation, filters and search of an Inspect log's samples. The scorers of a log are arbitrary, so only a score's number is interpreted:
// 1 is what Inspect counts as correct.
import type { Fact, Recorded, RolloutPresentation } from '../../environments/rollout-presentation.ts';
import { presents } from '../../environments/rollout-presentation.ts';
import { decimal } from '../../lib/numbers.ts';

/** Scores given as letters or words, with the numbers that Inspect's own metrics use. */
const LETTERS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0, yes: 1, true: 1, no: 0, false: 0 };

/** A score as a number; null if it is none. */
export function scoreNumber(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  return Object.hasOwn(LETTERS, value) ? LETTERS[value] : null;
}

/** The scorer whose number is the log's reward: `reward`, or else the first. */
export const rewardOf = (scorers: readonly string[]): string | undefined =>
  scorers.includes('reward') ? 'reward' : scorers[0];

/** Names of scorers for exploited graders. */
const HACK = /hack|exploit/i;

/** @param scorers the log's scorers, in its order */
export function logPresentation(scorers: readonly string[]): RolloutPresentation {
  const hack = scorers.find((name) => HACK.test(name));
  // The lab's own logs have the truth besides the reward.
  const main = scorers.includes('solved') ? 'solved' : rewardOf(scorers.filter((name) => name !== hack));
  const isHigh = (verdict: Recorded, name: string) => (scoreNumber(verdict[name]) ?? 0) >= 0.5;
  const scores = (verdict: Recorded): Fact[] =>
    scorers.filter((name) => name !== 'reward').map((name) => [name, shown(verdict[name])] as const);
  const names = new Set(scorers);
  return presents<Recorded>({
    outcomes: [
      { id: 'hack', mark: '✕', tone: 'bad', rare: true },
      { id: 'passed', mark: '✓', tone: 'good' },
      { id: 'partly', mark: '–', tone: 'warn', rare: true },
      { id: 'failed', mark: '–', tone: '' },
      { id: 'not scored', mark: '?', tone: '', rare: true },
    ],
    outcomeOf(verdict) {
      if (hack !== undefined && isHigh(verdict, hack)) return 'hack';
      const score = main === undefined ? null : scoreNumber(verdict[main]);
      if (score === null) return 'not scored';
      return score >= 1 ? 'passed' : score > 0 ? 'partly' : 'failed';
    },
    filters: scorers.map((name) => ({ name: `${name} ≥ 0.5`, keeps: (verdict: Recorded) => isHigh(verdict, name) })),
    worthReading: [],
    facts: scores,
    details: (verdict) => [
      ...scores(verdict),
      ...Object.entries(verdict).flatMap(([name, value]) =>
        names.has(name) || value === null || value === '' ? [] : [[name, shown(value)] as const],
      ),
    ],
    note: (verdict) =>
      Object.entries(verdict)
        .flatMap(([name, value]) => (names.has(name) || typeof value !== 'string' ? [] : value))
        .join('\n'),
    plainly: () => ({ paid: 'Scored by the log’s own scorers.', truth: 'Not known here.' }),
    kindName: 'Kind',
    lead: 'The samples of a log, grouped by what they answer.',
  });
}

function shown(value: Recorded[string] | undefined): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? decimal(value, Number.isInteger(value) ? 0 : 3) : String(value);
}
