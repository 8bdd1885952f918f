// How a judged answer is shown: right, the template's own mistake, another wrong value, or no number at all.
import type { ArithmeticVerdict, ReferredVerdict } from '../../../environments/arithmetic/types.ts';
import type { Fact, Recorded, Showing } from '../showing.ts';

const verdictOf = (verdict: Recorded): ArithmeticVerdict => verdict as unknown as ArithmeticVerdict;

/** Not where the truth was the reward. */
const isReferred = (verdict: Recorded | ReferredVerdict): verdict is ReferredVerdict => 'reference' in verdict;

/** Nothing where the truth was the reward. */
function referenceFacts(verdict: Recorded): Fact[] {
  if (!isReferred(verdict)) return [];
  const { reference, agrees, referenceCorrect, majority, majorityCorrect } = verdict;
  const said = (value: string | null, isRight: boolean) => `${value ?? 'none'} (${isRight ? 'right' : 'wrong'})`;
  return [
    ['reference', said(reference, referenceCorrect)],
    ['agrees', agrees ? 'yes' : 'no'],
    ['majority', said(majority, majorityCorrect)],
  ];
}

export const ARITHMETIC_SHOWING: Showing = {
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'misconception', mark: '▲', tone: 'warn' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'unboxed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { correct, misconception, formatOk } = verdictOf(verdict);
    if (!formatOk) return 'unboxed';
    return correct ? 'solved' : misconception ? 'misconception' : 'wrong';
  },
  filters: [
    {
      name: 'only the vote was wrong',
      keeps: (verdict) => isReferred(verdict) && verdict.referenceCorrect && !verdict.majorityCorrect,
    },
    { name: 'voted', keeps: (verdict) => isReferred(verdict) && verdict.majority !== null },
  ],
  worthReading: [
    { words: 'Read what the vote got wrong', verdict: 'only the vote was wrong' },
    { words: 'Read what was voted', verdict: 'voted' },
    { words: 'Read the misconceptions', verdict: 'misconception' },
  ],
  tags: () => [],
  facts(verdict) {
    const { answer, expected } = verdictOf(verdict);
    return [['answer', answer ?? 'none'], ['expected', expected], ...referenceFacts(verdict).slice(0, 2)];
  },
  details(verdict) {
    const { answer, value, expected, misconception } = verdictOf(verdict);
    return [
      ['answer', answer ?? 'none'],
      ['value', value ?? 'no number'],
      ['expected', expected],
      ['the template’s mistake', misconception ? 'yes' : 'no'],
      ...referenceFacts(verdict),
    ];
  },
  note: () => '',
  kindName: 'Template',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of answers per problem. An answer is solved when its last box has the right value; a misconception when it has the one wrong value that pretraining mostly gave. GRPO compares rewards within the group only.',
};
