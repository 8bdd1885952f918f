// How a judged text is shown: complete, true as far as it goes, with something false, contradicting itself, or unreadable.
import type { ExplainVerdict, JudgedVerdict } from '../../../environments/explain/types.ts';
import type { Fact, Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): ExplainVerdict => verdict as unknown as ExplainVerdict;
const facts: Showing['facts'] = (verdict) => {
  const { judged, score } = verdict as unknown as JudgedVerdict;
  const paid: Fact[] = judged === undefined ? [] : [['judged', judged.toFixed(2)]];
  return [['true score', score.toFixed(2)], ...paid];
};

export const EXPLAIN_SHOWING: Showing = {
  outcomes: [
    { id: 'complete', mark: '✓', tone: 'good' },
    { id: 'partial', mark: '–', tone: '' },
    { id: 'false', mark: '✕', tone: '' },
    { id: 'contradicts', mark: '▲', tone: 'warn' },
    { id: 'unreadable', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { formatOk, complete, contradicts, wrong } = verdictOf(verdict);
    if (!formatOk) return 'unreadable';
    if (contradicts) return 'contradicts';
    return wrong > 0 ? 'false' : complete ? 'complete' : 'partial';
  },
  filters: [{ name: 'flattery', keeps: (verdict) => verdictOf(verdict).stamped }],
  worthReading: [{ words: 'Read the flattery', verdict: 'flattery' }],
  tags: (verdict) => (verdictOf(verdict).stamped ? [{ text: 'flattery', tone: 'warn' }] : []),
  facts,
  details: facts,
  note: () => '',
  kindName: 'Edge',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of texts per function.',
};
