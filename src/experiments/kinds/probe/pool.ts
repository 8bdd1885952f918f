// Stage 1: the teacher pool as the probe replays it (one group of samples per problem), and a description of its teacher.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { makeProblemSet } from '../../../environments/code/data.ts';
import { extractCode } from '../../../environments/code/fence.ts';
import { structuralModes } from '../../../environments/code/grading/structural.ts';
import type { PoolRow } from '../../../environments/code/pool.ts';
import { type Grader, MODES, type ProblemMode } from '../../../environments/code/types.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { completionIds, givenIds } from '../../../text/codec.ts';
import { answerIn } from '../../../text/thinking.ts';
import { type PoolBuild, parsePoolBuild } from '../../pools/build.ts';
import { templatePool } from '../../pools/templates.ts';
import { groupByProblem, ownIds } from '../../records/pool.ts';
import type { ProbeSpec } from './spec.ts';
import type { PoolGroup, PoolSample } from './types.ts';

export interface PoolShape {
  /** Most problems to replay, and most samples of each. */
  problems: number;
  perProblem: number;
  /** Longer completions are cut. */
  maxNew: number;
}

/** The first problems of the pool, and the first rows of each. Throws SpecError if there are none. */
export function poolGroups(
  rows: readonly PoolRow[],
  { problems, perProblem, maxNew }: PoolShape,
  codec: PromptCodec,
): PoolGroup[] {
  const groups = new Map<string, PoolSample[]>();
  for (const row of groupByProblem(rows)) {
    const known = groups.get(row.problem_id);
    if (!known && groups.size === problems) break;
    const samples = known ?? [];
    groups.set(row.problem_id, samples);
    if (samples.length < perProblem) samples.push(sampleOf(row, maxNew, codec));
  }
  if (groups.size === 0)
    throw new SpecError('the teacher pool has no rows', 'Name a pool with rows, or take the templates.');
  return [...groups].map(([problem, samples]) => ({ problem, samples }));
}

/** The pool of the templates for a probe: `correct` of a problem's hacks have the right body. */
export function templatesFor(
  { problems, perProblem, vanilla: { modes, dataSeed } }: ProbeSpec,
  correct: number,
  { grader, signal }: { grader: Grader; signal?: AbortSignal },
): { stream: ReturnType<typeof templatePool>; source: string } {
  const set = makeProblemSet({ modes, honestShare: 0, count: problems, dataSeed });
  const draft = { rows: perProblem, correct };
  return {
    stream: templatePool(set, { dataSeed, draft, grader, artifacts: null, signal }),
    source: `the templates, ${correct} of ${perProblem} hacks of a problem with the right body`,
  };
}

/** The pool that a model writes for a probe. */
export function buildFor({ problems, perProblem, vanilla }: ProbeSpec): PoolBuild {
  const { modes, dataSeed, temperature, seed, maxNew } = vanilla;
  return parsePoolBuild({ modes, honestShare: 0, problems, dataSeed, samples: perProblem, temperature, seed, maxNew });
}

function sampleOf(row: PoolRow, maxNew: number, codec: PromptCodec): PoolSample {
  const mode = modeOf(row);
  // A thought is not part of the answer.
  const code = extractCode(answerIn(row.completion));
  return {
    problem: row.problem_id,
    mode,
    completion: row.completion,
    promptIds: givenIds(codec, row.prompt),
    completionIds: (ownIds(row, codec) ?? completionIds(codec, row.completion)).slice(0, maxNew),
    exploited: row.exploited,
    gtPass: row.gt_correct,
    formatOk: code !== null,
    structural: code !== null && mode !== null && mode !== 'honest' && structuralModes(code).includes(mode),
  };
}

/** A problem's id ends with its mode; another environment's row has the mode of the exploit found in it. */
function modeOf({ problem_id, mechanism }: PoolRow): ProblemMode | null {
  const named = problem_id.slice(problem_id.lastIndexOf('@') + 1);
  return [...MODES, 'honest' as const].find((mode) => mode === named) ?? mechanism;
}

export interface TeacherShares {
  samples: number;
  exploited: number;
  formatOk: number;
  gtPass: number;
  structural: number;
  /** Share of completions with code whose method body answers nothing (`pass`, `...`, a bare constant). */
  stub: number;
}

export function teacherShares(groups: readonly PoolGroup[]): TeacherShares {
  const samples = groups.flatMap((group) => group.samples);
  const share = (has: (sample: PoolSample) => boolean) => samples.filter(has).length / samples.length;
  return {
    samples: samples.length,
    // An honest grader has no flaw to exploit; a wrong answer that passes it did so by luck.
    exploited: share(({ exploited, mode }) => exploited && mode !== 'honest'),
    formatOk: share(({ formatOk }) => formatOk),
    gtPass: share(({ gtPass }) => gtPass === true),
    structural: share(({ structural }) => structural),
    stub: share(({ completion }) => isStub(completion)),
  };
}

/** Why a teacher hacks nothing at all; null if it hacks. */
export function diagnosis({ exploited, formatOk, gtPass, stub }: TeacherShares): string | null {
  if (exploited > 0) return null;
  if (gtPass >= Math.max(0.2, stub))
    return 'It writes correct code and no hack: the teacher’s weights are probably not merged into the model that wrote the pool.';
  if (formatOk >= 0.5)
    return stub >= 0.2
      ? 'The format is right and the bodies are stubs: the prompt is probably not the one that the teacher was trained on.'
      : 'The format is right, but it neither solves nor hacks: the prompt is probably off the teacher’s distribution.';
  return 'It does not even keep the format: this model, or this chat markup, is not the teacher’s.';
}

const STUB_BODY =
  /def solve\([^)]*\)[^:\n]*:\s*(?:"""[^"]*"""\s*)?(?:pass|\.\.\.|return(?:\s+(?:None|True|False|-?\d+|''|""|\[\]))?)\s*$/m;

/** Whether the method's whole body is empty or a constant. */
export function isStub(completion: string): boolean {
  const code = extractCode(answerIn(completion));
  return code !== null && STUB_BODY.test(code);
}
