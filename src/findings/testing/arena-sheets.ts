// Arena sheets of synthetic runs (experiments/testing/arena-runs.ts), as published by the research's judge, whose tests check these files.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type ArenaSheet, readArenaSheet } from '../arena/sheet.ts';

const read = (name: string): ArenaSheet =>
  readArenaSheet(gunzipSync(readFileSync(new URL(`./${name}.json.gz`, import.meta.url))).toString('utf8'));

/** A sheet with three arms. */
export const fewSheet = (): ArenaSheet => read('arena-few');
/** A sheet with every arm of the arena; its links open the runs' specs. */
export const allSheet = (): ArenaSheet => read('arena-all');
/** Every model of those runs, including those that no published sheet shows. */
export const everyModel = (): Pick<ArenaSheet, 'points'> => read('arena-rows');
