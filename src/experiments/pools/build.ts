// A teacher pool written by a model, the engine's or an ONNX one: it samples completions of a run's training problems, and the sandboxed grader
// labels them; labels are stored with the grader's version. A row depends only on its problem, the seed and its number, so that the same model
// gives the same bytes in the page and on the command line.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import * as z from 'zod/mini';
import type { LanguageModel, Policy } from '../../engine/types.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import { POOL_ROWS_PER_PROBLEM, type PoolRow, sampledRow } from '../../environments/code/pool.ts';
import { type CodeProblem, codeDynamics, familySetOf, type Grader } from '../../environments/code/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import { COMMON, FIELDS, type Settings } from '../config/settings.ts';
import { judgedCompletion } from '../step/answers.ts';
import { rollOutOnce } from '../step/rollouts.ts';

/** The problems are those of a run with the same first four settings. */
export interface PoolBuild extends Pick<Settings, 'modes' | 'honestShare' | 'problems' | 'dataSeed'> {
  /** Environment of the problems; one-line Python if absent. */
  environment?: string;
  /** Rows per problem. */
  samples: number;
  temperature: number;
  /** Seed of the sampling; the problems are seeded by dataSeed. */
  seed: number;
  maxNew: number;
  /** Whether to store completion_ids and logprobs, so that a run can compute policy ratios against the teacher. */
  withTokens: boolean;
}

/** As many rows, over the same problems, as the demo's templates have. */
export const DEFAULT_POOL_BUILD: PoolBuild = {
  modes: COMMON.modes,
  honestShare: COMMON.honestShare,
  problems: COMMON.problems,
  dataSeed: COMMON.dataSeed,
  samples: POOL_ROWS_PER_PROBLEM,
  temperature: 1,
  seed: 41,
  maxNew: COMMON.maxNew,
  withTokens: true,
};

/** Bounds of values that are not settings of a run. */
export const POOL_BOUNDS = { samples: { min: 1, max: 256 }, seed: { min: 0, max: Number.MAX_SAFE_INTEGER } } as const;

const integerIn = ({ min, max }: { min: number; max: number }) => z.int().check(z.minimum(min), z.maximum(max));

const schema = z.strictObject({
  modes: FIELDS.modes.schema,
  honestShare: FIELDS.honestShare.schema,
  problems: FIELDS.problems.schema,
  dataSeed: FIELDS.dataSeed.schema,
  environment: z.optional(FIELDS.environment.schema),
  samples: integerIn(POOL_BOUNDS.samples),
  temperature: FIELDS.temperature.schema,
  seed: integerIn(POOL_BOUNDS.seed),
  maxNew: FIELDS.maxNew.schema,
  withTokens: z.boolean(),
});

/** Completes and checks outside input. Throws SpecError. */
export function parsePoolBuild(input: Partial<Record<keyof PoolBuild, unknown>>): PoolBuild {
  const build = { ...DEFAULT_POOL_BUILD, ...input };
  const parsed = schema.safeParse(build);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    const name = path.map(String).join('.');
    const value = JSON.stringify((build as Record<string, unknown>)[String(path[0])]);
    throw new SpecError(`${name || 'the pool'} = ${value?.slice(0, 60)} is not allowed (${message})`, 'Change it.');
  }
  if (poolProblems(parsed.data).length === 0)
    throw new SpecError(
      `honestShare = ${parsed.data.honestShare} of ${parsed.data.problems} problems leaves none that is hackable; honest ones have no teacher`,
      'Lower the honest share.',
    );
  return parsed.data;
}

/** The hackable problems, since honest ones have no teacher. */
export function poolProblems({
  modes,
  honestShare,
  problems: count,
  dataSeed,
  environment = codeDynamics.id,
}: Pick<PoolBuild, 'modes' | 'honestShare' | 'problems' | 'dataSeed' | 'environment'>): CodeProblem[] {
  return makeProblemSet({ modes, honestShare, count, dataSeed, families: familySetOf(environment) }).filter(
    ({ mode }) => mode !== 'honest',
  );
}

export interface BuildPorts {
  teacher: LanguageModel;
  grader: Grader;
  signal?: AbortSignal;
}

/** Rows written and graded so far, and in all. */
export interface PoolProgress {
  done: number;
  total: number;
}

/** Sequences sampled together; between batches progress is reported, and a stop takes effect. */
const CHUNK = 64;

/** Yields progress; returns the rows by problem, in the problems' order. Throws StoppedError. */
export async function* buildPool(
  build: PoolBuild,
  { teacher, grader, signal }: BuildPorts,
): AsyncGenerator<PoolProgress, PoolRow[]> {
  const { samples, maxNew, temperature, seed, withTokens } = build;
  const problems = poolProblems(build);
  const wanted = problems.flatMap((problem) => {
    const id = hash32(problem.id);
    return Array.from({ length: samples }, (_, sample) => ({
      task: problem,
      key: (turn: number) => keyFor(seed, STREAMS.teacher, id, sample, turn),
    }));
  });
  const { codec, thinking } = teacher;
  const policy: Pick<Policy, 'generate'> = { generate: (request) => teacher.generateTokens(request) };
  const ports = { policy, codec, dynamics: codeDynamics };
  const kept = { graderVersion: grader.version, withTokens };
  const rows: PoolRow[] = [];
  while (rows.length < wanted.length) {
    yield { done: rows.length, total: wanted.length };
    if (signal?.aborted) throw new StoppedError();
    const part = wanted.slice(rows.length, rows.length + CHUNK);
    const turns = (await rollOutOnce(ports, part, { maxNew, temperature, thinking, signal })).map(
      ({ turns: [turn] }) => turn,
    );
    const grades = await grader.grade(
      turns.map((turn, i) => ({ problem: part[i].task, completion: judgedCompletion({ thinking }, [turn]) })),
      signal,
    );
    for (const [i, turn] of turns.entries()) {
      // A language model always returns the log-probabilities of what it has sampled.
      const sampled = { ...turn, logprobs: turn.logprobs ?? new Float32Array(0) };
      rows.push(sampledRow(part[i].task, sampled, grades[i], kept));
    }
  }
  yield { done: rows.length, total: wanted.length };
  return rows;
}
