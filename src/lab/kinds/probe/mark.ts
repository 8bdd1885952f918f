// What a probe's zip is known by, apart from what reads it.

export const REPORT = 'report.json';
const ROWS = /^(vanilla|projected)\/step_\d{3,7}\.jsonl\.gz$/;

export const isProbe = (files: ReadonlyMap<string, Uint8Array>): boolean =>
  files.has(REPORT) && [...files.keys()].some((name) => ROWS.test(name));
