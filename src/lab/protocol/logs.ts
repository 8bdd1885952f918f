// Messages between page and worker about an opened log of Inspect.

/** A log as the page knows it; its samples are requested as a run's rollouts are. */
export interface LogReport {
  /** In place of a run's id: equal files have equal ids, so that labels are found again. */
  id: string;
  /** The file's name. */
  name: string;
  task: string;
  model: string;
  /** The log's own word: success, error, cancelled, or started where it was not ended. */
  status: string;
  samples: number;
  /** In the log's order. */
  scorers: string[];
  /** Steps of its rollouts, ascending. */
  steps: number[];
  /** Whether these are a training run's; else they count parts of the log. */
  hasSteps: boolean;
  /** Sentences on what of the file is not shown. */
  notes: string[];
}
