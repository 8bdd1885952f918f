// States why an action failed, and its remedy. Renders nothing if there is no problem.
import type { Problem as ShownProblem } from '../../store/lab-state.ts';

interface ProblemProps {
  problem: ShownProblem | null;
  /** Whether the remedy continues on the problem's line instead of standing below it. */
  isOneText?: boolean;
}

export function Problem({ problem, isOneText = false }: ProblemProps) {
  if (!problem) return null;
  const words = (
    <>
      <b>{problem.message}</b> {problem.remedy}
    </>
  );
  return isOneText ? (
    <div className="callout bad" role="alert">
      <p>{words}</p>
    </div>
  ) : (
    <p className="callout bad" role="alert">
      {words}
    </p>
  );
}
