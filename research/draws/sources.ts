// The published runs behind a headline, and behind the arena: all runs of the files that the headline reads, with every arm, since its
// question may use more than the headline; of the study's files, which contain hundreds of runs, only those that it reads.

import type { RunRecord } from '../../src/experiments/records/events.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { arenaRunsName } from '../../src/findings/arena/sheet.ts';
import { CLAIMS } from '../headlines/claims.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { ARENA_SOURCE } from './published.ts';

export interface Source {
  /** The question that judges the headline; `arena` for the arena's judged rows. */
  id: string;
  runs: readonly PublishedSource[];
}

interface PublishedSource {
  /** Below public/results. */
  file: string;
  record: RunRecord;
}

/** Every id that a source may have, in the order of the headlines. */
export const SOURCE_IDS: readonly string[] = [
  ...CLAIMS.flatMap(({ asked }) => (asked ? [asked.question] : [])),
  ARENA_SOURCE,
];

/** `runs` is empty if the figures come from rows that are no evaluations of runs (chains of revisions, characters). */
export function sourceOf(id: string, rows: HeadlineRows): Source {
  const read = new Map<string, PublishedSource>();
  const all = (file: string, records: readonly RunRecord[]) => {
    for (const record of records) read.set(runKey(record.spec), { file, record });
    return records;
  };
  if (id === ARENA_SOURCE) {
    const file = arenaRunsName('judged');
    all(file, rows.runs(file));
    return { id, runs: [...read.values()] };
  }
  const claim = CLAIMS.find(({ asked }) => asked?.question === id);
  if (!claim) throw new RangeError(`no headline rests on ${id}`);
  for (const { file, arms } of claim.trained ?? [])
    all(
      file,
      rows.runs(file).filter(({ spec }) => arms.includes(spec.arm)),
    );
  claim.read({
    has: rows.has,
    lines: rows.lines,
    runs: (file) => all(file, rows.runs(file)),
    study: (file) => telling(rows.study(file), (key, record) => read.set(key, { file, record })),
  });
  return { id, runs: [...read.values()] };
}

/** Wraps a map to call `tell` with each run that is read. */
function telling(
  runs: ReadonlyMap<string, RunRecord>,
  tell: (key: string, record: RunRecord) => void,
): ReadonlyMap<string, RunRecord> {
  return new (class extends Map<string, RunRecord> {
    override get(key: string): RunRecord | undefined {
      const record = runs.get(key);
      if (record) tell(key, record);
      return record;
    }
  })();
}
