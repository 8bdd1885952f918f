// Fields of a run that charts read, wherever it was made.
import type { RunRecord, StepRow } from '../../experiments/records/events.ts';

/** A run of a link, or a published one, has few of a step's fields. */
export type ChartRow = Pick<StepRow, 'step' | 'student'> & Partial<StepRow>;

export type ChartRun = Pick<RunRecord, 'id' | 'spec' | 'evals' | 'timings'> & { rows: readonly ChartRow[] };
