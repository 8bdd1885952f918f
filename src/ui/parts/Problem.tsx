// Why something could not be done, with what helps; nothing where there is no problem.
import type { Problem as ShownProblem } from '../../store/lab-state.ts';

export function Problem({ problem }: { problem: ShownProblem | null }) {
  if (!problem) return null;
  return (
    <p className="callout bad" role="alert">
      <b>{problem.message}</b> {problem.remedy}
    </p>
  );
}
