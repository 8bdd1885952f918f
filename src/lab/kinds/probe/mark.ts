// The file that identifies a probe's zip, separate from the code that reads it.

export const REPORT = 'report.json';
const ROWS = /^(vanilla|projected)\/step_\d{3,7}\.jsonl\.gz$/;

export const isProbe = (files: ReadonlyMap<string, Uint8Array>): boolean =>
  files.has(REPORT) && [...files.keys()].some((name) => ROWS.test(name));
