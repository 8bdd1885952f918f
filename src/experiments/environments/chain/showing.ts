// How a judged answer is shown: solved, better or worse than its draft, wrong, or no row of digits at all.
import type { ChainVerdict } from '../../../environments/chain/types.ts';
import type { Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): ChainVerdict => verdict as unknown as ChainVerdict;
const facts: Showing['facts'] = (verdict) => {
  const { answer, quality, before, depth } = verdictOf(verdict);
  const shares =
    before === null
      ? []
      : ([
          ['draft', before.toFixed(2)],
          ['depth', String(depth)],
        ] as const);
  return [['answer', answer ?? 'none'], ['quality', quality.toFixed(2)], ...shares];
};

export const CHAIN_SHOWING: Showing = {
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'better', mark: '▲', tone: '' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'worse', mark: '▼', tone: 'warn' },
    { id: 'malformed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { formatOk, correct, quality, before } = verdictOf(verdict);
    if (!formatOk) return 'malformed';
    if (correct) return 'solved';
    if (before === null || before === quality) return 'wrong';
    return quality > before ? 'better' : 'worse';
  },
  filters: [],
  worthReading: [{ words: 'Read what got better', verdict: 'better' }],
  tags: () => [],
  facts,
  details: facts,
  note: () => '',
  kindName: 'Kind',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of answers per puzzle, or per answer that is to be revised.',
};
