// What the page and the worker say to each other about files of real problems, and about the CPython that grades them.

export interface ProblemFileReport {
  /** Hex sha-256 of the file's bytes: a spec's environment is `leetcode:` and this. */
  sha256: string;
  name: string;
  createdAt: number;
  bytes: number;
  problems: number;
  /** Asserts that are judged, visible and held ones together. */
  tests: number;
  /** Asserts that only the program's own Python could judge: left out. */
  unused: number;
}

/** What a check of a file found: canonical programs under the strict oracle, the hack × mode table of every problem. */
export interface ProblemCheck {
  checked: number;
  /** Whose canonical program passes visible and held tests. */
  solved: number;
  /** Problems with a cell that is not as it must be, and its first line. */
  wrong: { id: string; why: string }[];
  /** Canonical programs that took long, longest first; seconds of visible and held tests together. */
  slow: { id: string; seconds: number }[];
}

/** Problems looked at so far. */
export interface ProblemEvent {
  type: 'problems';
  task: string;
  done: number;
  total: number;
}

/** CPython is needed and its frame is not open yet: only a page can open one. */
export interface PythonEvent {
  type: 'python-wanted';
}
