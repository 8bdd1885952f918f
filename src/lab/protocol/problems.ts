// Messages between page and worker about files of real problems, and about the CPython that grades them.

export interface ProblemFileReport {
  /** Hex sha-256 of the file's bytes, by which a spec's environment refers to it. */
  sha256: string;
  /** Problems with their own checks; absent: real problems, whose answers CPython runs. */
  kind?: 'custom';
  name: string;
  createdAt: number;
  bytes: number;
  problems: number;
  /** Number of judged asserts, visible and held-out ones together; or of checks. */
  tests: number;
  /** Number of asserts left out, since only the program's own Python could judge them. */
  unused: number;
}

/** Result of a check of a file: canonical programs under the strict oracle, the hack × mode table of every problem. */
export interface ProblemCheck {
  checked: number;
  /** Number of problems whose canonical program passes visible and held-out tests. */
  solved: number;
  /** Problems with a wrong cell of that table, and the first line about it. */
  wrong: { id: string; why: string }[];
  /** Slow canonical programs, slowest first; seconds of visible and held-out tests together. */
  slow: { id: string; seconds: number }[];
}

/** Problems checked so far. */
export interface ProblemEvent {
  type: 'problems';
  task: string;
  done: number;
  total: number;
}

/** CPython is needed and its frame is not open yet, since only a page can open one. */
export interface PythonEvent {
  type: 'python-wanted';
}
