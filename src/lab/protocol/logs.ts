// Messages between page and worker about an opened log of Inspect.

/** An opened log; its samples are requested like a run's rollouts. */
export interface LogReport {
  /** Used like a run's id: equal files have equal ids, so that labels are found again. */
  id: string;
  /** The file's name. */
  name: string;
  task: string;
  model: string;
  /** The log's own status: success, error, cancelled, or started if it was not finished. */
  status: string;
  samples: number;
  /** In the log's order. */
  scorers: string[];
  /** Steps of its rollouts, ascending. */
  steps: number[];
  /** Whether these are steps of a training run; otherwise they number parts of the log. */
  hasSteps: boolean;
  /** Sentences on parts of the file that are not shown. */
  notes: string[];
}
