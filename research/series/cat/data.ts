// Data for the questions of learning without labels: rows of references at inference, and records of runs.
import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { joinedRows } from '../../../src/experiments/cat/summary.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import type { Rows } from '../../judge/types.ts';

export interface CatData {
  /** Several calls on the same attempts are joined into one row. */
  rows: readonly InferenceRow[];
  /** The same for the first base. */
  first: readonly InferenceRow[];
  runs: readonly RunRecord[];
}

interface Files {
  rows?: readonly string[];
  first?: readonly string[];
  runs?: readonly string[];
}

export const readOf =
  (files: Files) =>
  (published: Rows): CatData => {
    const joined = (names: readonly string[] = []) =>
      joinedRows(names.map((name) => published.lines<InferenceRow>(name)));
    return {
      rows: joined(files.rows),
      first: joined(files.first),
      runs: (files.runs ?? []).flatMap((name) => published.runs(name)),
    };
  };
