// Where the figures come from: published runs, this browser's own, or nothing yet.
import { duration } from '../../../lib/numbers.ts';
import { useQuestions } from '../../lab-context.ts';

export function Provenance() {
  const loading = useQuestions((state) => state.loading);
  const problem = useQuestions((state) => state.problem);
  const origin = useQuestions((state) => state.origin);
  const mine = useQuestions((state) => state.added);
  const differing = useQuestions((state) => state.differing);
  return (
    <div className="question-origin" data-testid="provenance">
      <p role="status">
        {loading
          ? loading.of > 0
            ? `Reading the published results: ${loading.done} of ${loading.of} files …`
            : 'Looking for published results …'
          : origin && origin.runs > 0
            ? `${origin.about.join(' ')} Training took ${duration(origin.seconds)}, evaluations at the end not counted.`
            : problem
              ? ''
              : 'No run has been published with this page: every question says “not run” and how to run it.'}
        {mine > 0
          ? ` ${mine} ${mine === 1 ? 'run' : 'runs'} more of this browser, marked “here”; the lines under “What to ask first” are of the published ones.`
          : ''}
        {differing > 0
          ? ` ${differing} ${differing === 1 ? 'run' : 'runs'} of this browser came out otherwise than the published ones of the same settings (another device or version); the published ones count.`
          : ''}
      </p>
    </div>
  );
}
