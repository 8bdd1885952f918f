// Why something could not be done, with what helps; nothing where there is no problem.
import type { Problem as ShownProblem } from '../../store/lab-state.ts';

interface ProblemProps {
  problem: ShownProblem | null;
  /** What helps goes on in the line of the problem, instead of below it. */
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
