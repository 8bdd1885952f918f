// Mean cos_S_contrib of each step's samples, vanilla and projected: whether the pool's pull along the basis fades as it is learnt,
// and whether projection keeps it there.
import type { StepLine } from '../../store/kinds/probe/chart.ts';
import { LineFigure } from './LineFigure.tsx';

export function StepChart({ lines, steps, csv }: { lines: readonly StepLine[]; steps: number; csv: () => string }) {
  return (
    <LineFigure
      id="probe-steps"
      title="Step by step"
      about="Mean cos_S_contrib of the samples of a step, which is one problem."
      yLabel="mean cos_S_contrib"
      {...{ lines, steps, csv }}
    />
  );
}
