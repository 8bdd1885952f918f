// The published runs on which a headline rests, and the arena's: the files of runs that the headline reads, with every arm in them, since the
// question beside it may ask for more than the headline; of the study's files, which hold hundreds of runs, those that it reads.

import type { RunRecord } from '../../src/experiments/records/events.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { arenaRunsName } from '../../src/findings/arena/sheet.ts';
import { CLAIMS } from '../headlines/claims.ts';
import type { Sources } from '../headlines/sources.ts';

export interface Source {
  /** The question that judges the headline; `arena` for the arena's judged rows. */
  id: string;
  runs: readonly RunRecord[];
}

export const ARENA_SOURCE = 'arena';

/** Every id that a source may have, in the order of the headlines. */
export const SOURCE_IDS: readonly string[] = [...CLAIMS.flatMap(({ asked }) => asked ?? []), ARENA_SOURCE];

/** The sources with every run changed by `of`; a run for which it returns null is left out. */
export function withRuns(sources: Sources, of: (record: RunRecord) => RunRecord | null): Sources {
  const { has, lines, entry, question, arena, demo } = sources;
  return {
    ...{ has, lines, entry, question, arena, demo },
    runs: (file) => sources.runs(file).flatMap((record) => of(record) ?? []),
    runsOf: (id, cell) => sources.runsOf(id, cell).flatMap((record) => of(record) ?? []),
  };
}

/** `runs` is empty if the figures come from rows that are no runs' evaluations: chains of revisions, characters. */
export function sourceOf(id: string, sources: Sources): Source {
  const read = new Map<string, RunRecord>();
  const noted = (record: RunRecord): RunRecord => {
    read.set(runKey(record.spec), record);
    return record;
  };
  if (id === ARENA_SOURCE) for (const record of sources.runs(arenaRunsName('judged'))) noted(record);
  else {
    const claim = CLAIMS.find(({ asked }) => asked === id);
    if (!claim) throw new RangeError(`no headline rests on ${id}`);
    claim.read(withRuns(sources, noted));
  }
  return { id, runs: [...read.values()] };
}
