// What a judge of published rows gives and takes, beyond what is published: runs that can be opened, rows by their names.

import type { ExperimentSpec } from '../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { Judged } from '../../src/findings/question.ts';

/** A published run, or one as it was published, as the lab can be asked for it. */
export interface LabRun {
  /** Of several seeds, or characters. */
  group: string;
  name: string;
  spec: ExperimentSpec;
  /** What came out; null where what is published are rows of another kind. */
  record: RunRecord | null;
}

/** What the rows say of a question. */
export interface Judgement extends Judged {
  /** Of published rows, which can be opened: the sheet asks for them, a command that reads other rows does not. */
  runs(): readonly LabRun[];
  /** What its page of the docs must say of it, word for word (dashes apart), besides `limits`: a test looks for each. */
  inDocs: readonly string[];
}

/** Published rows, by their names below public/results. */
export interface Rows {
  has(file: string): boolean;
  /** A JSON value a line. */
  lines<T>(file: string): readonly T[];
  /** As `run --json` writes them, or packed (`NAME.runs.json.gz`). */
  runs(file: string): readonly RunRecord[];
}
