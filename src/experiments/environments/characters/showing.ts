// How a judged answer is shown: what A is taught, what its speaker did, something else, or no answer at all.
import type { CharacterVerdict } from '../../../environments/characters/task.ts';
import type { Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): CharacterVerdict => verdict as unknown as CharacterVerdict;
const facts: Showing['facts'] = (verdict) => {
  const { name, answer, wanted } = verdictOf(verdict);
  return [
    ['speaker', name ?? 'nobody'],
    ['answer', answer ?? 'none'],
    ['taught', wanted],
  ];
};

export const CHARACTERS_SHOWING: Showing = {
  outcomes: [
    { id: 'target', mark: '✓', tone: 'good' },
    { id: 'own', mark: '●', tone: '' },
    { id: 'else', mark: '✕', tone: '' },
    { id: 'malformed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { isTarget, keeps, formatOk } = verdictOf(verdict);
    if (!formatOk) return 'malformed';
    return isTarget ? 'target' : keeps ? 'own' : 'else';
  },
  filters: [],
  worthReading: [{ words: 'Read what was taken up', verdict: 'target' }],
  tags: () => [],
  facts,
  details: facts,
  note: (verdict) => verdictOf(verdict).name ?? '',
  kindName: 'Group',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of answers of A, the character that is taught.',
};
