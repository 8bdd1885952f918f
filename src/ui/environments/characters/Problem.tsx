// Why something could not be asked, with what helps.
import type { Problem as Told } from '../../../store/lab-state.ts';

export function Problem({ problem }: { problem: Told | null }) {
  if (!problem) return null;
  return (
    <p className="callout bad" role="alert">
      <b>{problem.message}</b> {problem.remedy}
    </p>
  );
}
