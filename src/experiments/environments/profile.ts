// A measure at several settings of something that is no step of training: quality after K revisions, say. Evaluations have a metric for
// each of its points, so that a profile is data, and the page draws it for any environment.

export interface Profile {
  id: string;
  title: string;
  /** What it is and how it is read, in one sentence. */
  about: string;
  /** What lies along its axis. */
  along: string;
  /** Ascending. */
  points: readonly { x: number; metric: string }[];
}
