// Fields of a run that the charts read, for runs from any source.
import type { RunRecord, StepRow } from '../../experiments/records/events.ts';

/** The run of a link or a published run has only a few of a step's fields. */
export type ChartRow = Pick<StepRow, 'step' | 'student'> & Partial<StepRow>;

export type ChartRun = Pick<RunRecord, 'id' | 'spec' | 'evals' | 'timings'> & { rows: readonly ChartRow[] };
