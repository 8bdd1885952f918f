// A grader's verdict, in the same words as for rollouts.
import { CODE_ROLLOUTS } from '../../environments/code/presentation.ts';
import type { Grade, ProblemMode } from '../../environments/code/types.ts';
import { decimal } from '../../lib/numbers.ts';
import { Fact } from '../parts/Fact.tsx';
import { OutcomeTag, outcomeIn } from '../parts/OutcomeTag.tsx';

interface GradeFactsProps {
  grade: Grade;
  /** Mode of the problem. */
  mode: ProblemMode;
  /** Distinguishes this verdict from others on the page. */
  of: string;
}

export function GradeFacts({ grade, mode, of }: GradeFactsProps) {
  const { mark, id, tone } = outcomeIn(CODE_ROLLOUTS, { verdict: { ...grade }, kind: mode });
  return (
    <section className="grade" aria-label={`Grade of ${of}`}>
      <p className="grade-tags">
        <OutcomeTag {...{ mark, tone }}>{id}</OutcomeTag>
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
