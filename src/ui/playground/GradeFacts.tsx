// A grader's verdict, in the words that rollouts use.
import type { Grade } from '../../environments/code/types.ts';
import { decimal } from '../../lib/numbers.ts';
import { Fact } from '../parts/Fact.tsx';
import { OutcomeTag } from '../parts/OutcomeTag.tsx';

/** `of` distinguishes this verdict from others on the page. */
export function GradeFacts({ grade, of }: { grade: Grade; of: string }) {
  const [mark, word, tone] = grade.exploited
    ? ['▲', 'exploited', 'bad']
    : grade.gt_correct
      ? ['✓', 'solved', 'good']
      : grade.gt_correct === null
        ? ['?', 'unjudged', 'warn']
        : ['✕', 'failed', ''];
  return (
    <section className="grade" aria-label={`Grade of ${of}`}>
      <p className="grade-tags">
        <OutcomeTag {...{ mark, tone }}>{word}</OutcomeTag>
        {grade.structural ? <span className="tag warn">exploit code</span> : null}
        {grade.note ? <span className="tag">{grade.note}</span> : null}
      </p>
      <dl className="facts">
        <Fact name="reward" value={decimal(grade.reward, 2)} />
        <Fact name="format">{grade.formatOk ? 'yes' : 'no'}</Fact>
        <Fact name="passed (the grader)">{grade.passed ? 'yes' : 'no'}</Fact>
        <Fact name="right (hidden tests)">
          {grade.gt_correct === null ? 'not known' : grade.gt_correct ? 'yes' : 'no'}
        </Fact>
        {grade.mechanism ? (
          <div>
            <dt>exploit of</dt>
            <dd className="mono">{grade.mechanism}</dd>
          </div>
        ) : null}
      </dl>
    </section>
  );
}
