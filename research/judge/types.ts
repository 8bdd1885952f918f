// Input and output types of a judge that are not published: runs that can be opened, rows by name.

import type { ExperimentSpec } from '../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { PublishedJudgement } from '../../src/findings/question.ts';

/** A published run as a spec that the lab can repeat. */
export interface LabRun {
  /** The heading shared by its seeds or characters. */
  group: string;
  name: string;
  spec: ExperimentSpec;
  /** The run's result; null if rows of another kind are published. */
  record: RunRecord | null;
}

/** A question's answer from its rows. */
export interface Judgement extends PublishedJudgement {
  /** Published runs that can be opened. Only the sheet calls this; a command that reads other rows does not. */
  runs(): readonly LabRun[];
  /** Phrases besides `limits` that its page of the docs must contain word for word (except for dashes); a test searches for each. */
  inDocs: readonly string[];
}

/** Published rows, by file name below public/results. */
export interface Rows {
  has(file: string): boolean;
  /** Rows of a file with one JSON value per line. */
  lines<T>(file: string): readonly T[];
  /** Runs in the format of `run --json`, or packed (`NAME.runs.json.gz`). */
  runs(file: string): readonly RunRecord[];
}

/** All rows from which the values of a headline's units are read. */
export interface HeadlineRows extends Rows {
  /** Published runs of the study, by key. */
  study(file: string): ReadonlyMap<string, RunRecord>;
}
