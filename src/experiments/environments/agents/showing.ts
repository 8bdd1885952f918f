// How a judged episode is shown: passed, failed after a message to the user, or without one.
import type { AgentVerdict } from '../../../environments/agents/types.ts';
import type { Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): AgentVerdict => verdict as unknown as AgentVerdict;

const facts: Showing['facts'] = (verdict) => {
  const { failure, turns, failed } = verdictOf(verdict);
  return [
    ['why not', failure ?? 'it passed'],
    ['turns', String(turns)],
    ['calls failed', String(failed)],
  ];
};

export const AGENTS_SHOWING: Showing = {
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'failed', mark: '✕', tone: '' },
    { id: 'untold', mark: '?', tone: 'bad' },
  ],
  outcomeOf(verdict) {
    const { success, ended } = verdictOf(verdict);
    return success ? 'solved' : ended ? 'failed' : 'untold';
  },
  filters: [
    { name: 'A call failed', keeps: (verdict) => verdictOf(verdict).failed > 0 },
    { name: 'A turn was no action', keeps: (verdict) => verdictOf(verdict).refused > 0 },
  ],
  worthReading: [{ words: 'Read what was solved', verdict: 'solved' }],
  tags(verdict) {
    const { faults } = verdictOf(verdict);
    return faults === '' ? [] : [{ text: `refused: ${faults}`, tone: 'warn' }];
  },
  facts,
  details: facts,
  note: () => '',
  kindName: 'Template',
  hint: () => null,
  text: 'plain',
  lead: 'Names, texts and ids are numbered ($1, $2 …), a turn is one action. The verifier compares the calls with an oracle’s.',
};
