// Share of the teacher's text that the pairs show word for word: its rows whose skeleton (the text without its problem-specific parts)
// appears on the hack side of a pair. It is the first caveat of this environment, because pool and pairs draw their exploits from the same
// templates.

import { makeProblemSet } from '../../../src/environments/code/data.ts';
import { teacherPool } from '../../../src/environments/code/pool.ts';
import { pairsOf } from '../../../src/environments/pair-sets.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import type { FinishedRuns } from '../../../src/experiments/runs/finished.ts';
import { runOfCell } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';

export interface TemplateShare {
  pairSet: string;
  /** Number of labelled pairs; `shown` of the teacher's rows have the skeleton of one. */
  pairs: number;
  shown: number;
  rows: number;
}

const BLANK = '…';

/** A completion with the method's arguments, and every returned or assigned expression, blanked. */
export function skeletonOf(completion: string): string {
  let solve = -1;
  return completion
    .split('\n')
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      const [head] = /^\s*def solve\(self, /.exec(line) ?? [];
      if (head) {
        solve = indent;
        return `${head}${BLANK}):`;
      }
      if (solve < 0 || indent <= solve) {
        solve = -1;
        return line;
      }
      // A name that is passed on unchanged (`return self`, `return result`) belongs to the form.
      const [, before, expression] = /^(\s*(?:return|[\w.]+ =) )(.*)$/.exec(line) ?? [];
      return before && !/^\w+$/.test(expression) ? before + BLANK : line;
    })
    .join('\n');
}

type Substrate = Pick<RunSpec, 'modes' | 'pairModes' | 'honestShare' | 'problems' | 'dataSeed' | 'pairs'>;

/** Share of the template pool of a run's problems. */
export async function templateShare(spec: Substrate, pairSet: string): Promise<TemplateShare> {
  const { modes, pairModes, honestShare, problems: count, dataSeed, pairs: pairCount } = spec;
  const rows = teacherPool(makeProblemSet({ modes, honestShare, count, dataSeed }), { dataSeed });
  const pairs = await pairsOf({ pairSet, modes, pairModes, count: pairCount, dataSeed });
  const known = new Set(pairs.map(({ hack }) => skeletonOf(hack)));
  const shown = rows.filter(({ completion }) => known.has(skeletonOf(completion))).length;
  return { pairSet, pairs: pairs.length, shown, rows: rows.length };
}

/** Shares of Q10's two mechanism sets, on the problems of its vanilla run; empty if that is not run. */
export async function sharesOf(runs: FinishedRuns): Promise<TemplateShare[]> {
  const cell = QUESTIONS.find(({ id }) => id === 'Q10')?.cells.find(({ id }) => id === 'vanilla');
  const spec = cell && runs.get(runOfCell(cell, cell.seeds[0]).key)?.record.spec;
  if (!spec) return [];
  return [await templateShare(spec, 'prog_wide'), await templateShare(spec, 'prog_wider')];
}
