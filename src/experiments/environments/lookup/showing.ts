// How a judged episode is shown: right, a wrong value after asking, a wrong value that was guessed, or no number at all.
import type { LookupVerdict } from '../../../environments/lookup/types.ts';
import type { Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): LookupVerdict => verdict as unknown as LookupVerdict;

export const LOOKUP_SHOWING: Showing = {
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'guessed', mark: '▲', tone: 'warn' },
    { id: 'unboxed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { correct, formatOk, answered } = verdictOf(verdict);
    if (!formatOk) return 'unboxed';
    return correct ? 'solved' : answered > 0 ? 'wrong' : 'guessed';
  },
  filters: [
    { name: 'A tool answered', keeps: (verdict) => verdictOf(verdict).answered > 0 },
    { name: 'A call was refused', keeps: (verdict) => verdictOf(verdict).refused > 0 },
  ],
  worthReading: [{ words: 'Read the guesses', verdict: 'guessed' }],
  tags(verdict) {
    const { refused } = verdictOf(verdict);
    return refused > 0 ? [{ text: `${refused} refused`, tone: 'warn' }] : [];
  },
  facts(verdict) {
    const { answer, expected, turns } = verdictOf(verdict);
    return [
      ['answer', answer ?? 'none'],
      ['expected', expected],
      ['turns', String(turns)],
    ];
  },
  details(verdict) {
    const { answer, value, expected, turns, answered, refused } = verdictOf(verdict);
    return [
      ['answer', answer ?? 'none'],
      ['value', value ?? 'no number'],
      ['expected', expected],
      ['turns', String(turns)],
      ['calls answered', String(answered)],
      ['calls refused', String(refused)],
    ];
  },
  note: () => '',
  kindName: 'Question',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of episodes per question. In one the model may call CALC(…) and LOOK(…), is shown what they say, and answers in a box; it is solved when the box has the right value. What the tools say is not trained on. GRPO compares rewards within the group only.',
};
