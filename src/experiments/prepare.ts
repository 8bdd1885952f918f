// The one file that knows the code substrate: it builds what a run acts in (problems, teacher pool, evaluation sets) and
// what it projects with (bases from the labelled pairs, and their controls). Shared parts are made once per experiment.
import type { Concept } from '../algorithms/advantage-modification.ts';
import type { Policy } from '../engine/types.ts';
import { type CodeEpisode, codeEnvironment } from '../environments/code/environment.ts';
import { GRADER_VERSION } from '../environments/code/grader/pool-grader.ts';
import { inoculated } from '../environments/code/inoculation.ts';
import { evaluationSet, makeProblemSet } from '../environments/code/problem-sets.ts';
import { codeReward } from '../environments/code/reward.ts';
import { epochSampler, honestSampler } from '../environments/code/sampler.ts';
import type { CodeProblem, Grade, Grader, Mode, ProblemMode } from '../environments/code/types.ts';
import { leetcodeTeacher } from '../environments/leetcode/answers.ts';
import { leetcodeEnvironment, problemFileOf } from '../environments/leetcode/environment.ts';
import { type LeetcodeProblem, readProblemFile } from '../environments/leetcode/problem-file.ts';
import { leetcodeSets } from '../environments/leetcode/problem-set.ts';
import type { ModelHandles } from '../environments/types.ts';
import { SpecError } from '../lib/errors.ts';
import type { TextCodec } from '../text/types.ts';
import type { ArtifactStore } from './artifacts.ts';
import type { RunBases } from './bases.ts';
import { BasisBuilder } from './basis-build.ts';
import { recipeOf } from './basis-recipe.ts';
import { conceptOf } from './concept.ts';
import type { LabEvent } from './events.ts';
import type { RunSpec } from './spec.ts';
import type { World } from './tasks.ts';
import { type PoolUse, rowsByProblem, storedPoolRows, type TeacherRows } from './teacher-pool.ts';
import { templatePool } from './template-pool.ts';

export type CodeWorld = World<CodeProblem, CodeEpisode, Grade>;

export interface PreparePorts {
  policy: Policy;
  codec: TextCodec;
  grader: Grader;
  artifacts: ArtifactStore | null;
  modelSha256: string;
  signal?: AbortSignal;
}

export interface Prepared {
  world: CodeWorld;
  bases: RunBases;
  /** Of the run's pairs; only with advantageMod ≠ none. */
  concept: Concept | null;
}

interface Tasks {
  environment: CodeWorld['environment'];
  training: CodeProblem[];
  evaluation: CodeWorld['evaluation']['final'];
}

interface Teacher {
  rows: TeacherRows;
  /** Of the stored pool; null for templates. */
  use: PoolUse | null;
}

export class CodePreparation {
  readonly #ports: PreparePorts;
  readonly #worlds = new Map<string, CodeWorld>();
  readonly #builder: BasisBuilder;

  constructor(ports: PreparePorts) {
    this.#ports = ports;
    this.#builder = new BasisBuilder(ports);
  }

  async *prepare(spec: RunSpec): AsyncGenerator<LabEvent, Prepared> {
    const world = yield* this.world(spec);
    refuseMissingLogprobs(spec, world);
    const bases = yield* this.bases(spec);
    const concept = spec.advantageMod === 'none' ? null : await this.#concept(spec);
    return { world, bases, concept };
  }

  /** What the run projects with at its beginning, and how to extract it again. */
  bases(spec: RunSpec): AsyncGenerator<LabEvent, RunBases> {
    return this.#builder.build(spec);
  }

  async *world(spec: RunSpec): AsyncGenerator<LabEvent, CodeWorld> {
    const { dataSeed, modes, honestShare, problems: count, evalProblems, finalEvalProblems } = spec;
    const { inoculation, trainOn, maxNew } = spec;
    const taught: readonly ProblemMode[] = spec.mix === 0 || trainOn === 'honest' ? [] : taughtModes(spec);
    const set = [dataSeed, modes, honestShare, count, evalProblems, finalEvalProblems];
    const pool = taught.length > 0 ? [spec.teacherPool, maxNew, taught] : [];
    const key = JSON.stringify([spec.environment, set, pool, inoculation, trainOn]);
    const known = this.#worlds.get(key);
    if (known) return known;
    yield progress('problems', 0, 1);
    const { environment, training: made, evaluation } = await this.#tasks(spec);
    // Training alone sees the inoculated prompts, the teacher's rows included; ids and tests stay as they are.
    const problems = inoculation ? made.map(inoculated) : made;
    yield progress('problems', 1, 1);
    const pupils = problems.filter(({ mode }) => taught.includes(mode));
    const { rows, use }: Teacher =
      pupils.length > 0 ? yield* this.#teacher(pupils, spec) : { rows: new Map(), use: null };
    const noModels: ModelHandles = { get: () => undefined };
    const world: CodeWorld = {
      environment,
      reward: codeReward(this.#ports.grader),
      sampler: trainOn === 'honest' ? honestSampler(problems) : epochSampler(problems),
      labels: { id: ({ id }) => id, mode: ({ mode }) => mode, grade: (grade) => grade },
      models: noModels,
      teacherRows: ({ id }) => rows.get(id) ?? [],
      pool: use,
      evaluation: { during: evaluation.slice(0, evalProblems), final: evaluation.slice(0, finalEvalProblems) },
    };
    this.#worlds.set(key, world);
    return world;
  }

  /**
   * Every prefix of an evaluation set is balanced: the small one is the beginning of the large one. Throws SpecError for an
   * environment that there is not.
   */
  async #tasks(spec: RunSpec): Promise<Tasks> {
    const { dataSeed, modes, honestShare, problems: count } = spec;
    const evaluate = Math.max(spec.evalProblems, spec.finalEvalProblems);
    if (spec.environment === codeEnvironment.id) {
      const training = makeProblemSet({ modes, honestShare, count, dataSeed });
      const evaluation = evaluationSet({ modes, honestShare, dataSeed, count: evaluate });
      return {
        environment: codeEnvironment,
        training,
        evaluation: evaluation.map(({ problem, unseen }) => ({ task: problem, unseen })),
      };
    }
    const { sha256, problems } = await this.#problemFile(spec.environment);
    const sets = leetcodeSets(problems, { modes, honestShare, count, evaluate, dataSeed });
    // No two real problems share a family.
    const evaluation = sets.evaluation.map((task) => ({ task, unseen: 'family' as const }));
    return { environment: leetcodeEnvironment(sha256), training: sets.training, evaluation };
  }

  async #problemFile(environment: string): Promise<{ sha256: string; problems: LeetcodeProblem[] }> {
    const named = `environment = ${JSON.stringify(environment)}`;
    const sha256 = problemFileOf(environment);
    if (sha256 === null)
      throw new SpecError(
        named,
        `This lab has ${codeEnvironment.id}, and leetcode:<sha-256> for a file of real problems.`,
      );
    if (this.#ports.grader.version === GRADER_VERSION)
      throw new SpecError(
        `${named}: real problems need CPython, and this grader is ${GRADER_VERSION}`,
        'Open CPython’s grader for them; what is done after a run has none yet.',
      );
    const text = (await this.#ports.artifacts?.loadProblems?.(sha256)) ?? null;
    if (text === null)
      throw new SpecError(
        `${named}: no problem file with this hash is at hand`,
        'Give the same file again: under Models in the page, or as npm run lab -- run --problems FILE.',
      );
    return { sha256, problems: readProblemFile(text, `problem file ${sha256.slice(0, 12)}`) };
  }

  /** Rows of the stored pool that the spec names, or of the environment's templates. */
  async *#teacher(problems: readonly CodeProblem[], spec: RunSpec): AsyncGenerator<LabEvent, Teacher> {
    const { grader, artifacts, codec, signal } = this.#ports;
    const { teacherPool: sha256, maxNew, dataSeed } = spec;
    if (sha256 !== '') {
      yield progress('teacher pool', 0, 1);
      const kept = (await artifacts?.loadTeacherPool(sha256)) ?? null;
      return storedPoolRows(sha256, kept, problems, { codec, graderVersion: grader.version, maxNew });
    }
    const drafts = problemFileOf(spec.environment) === null ? undefined : leetcodeTeacher(problems);
    const rows = yield* templatePool(problems, { dataSeed, drafts, grader, artifacts, signal });
    return { rows: rowsByProblem(rows, problems, codec).rows, use: null };
  }

  async #concept(spec: RunSpec): Promise<Concept> {
    const { policy, codec, signal } = this.#ports;
    const pairs = await this.#builder.usedPairs(recipeOf(spec, null));
    return conceptOf(policy, codec, pairs, signal);
  }
}

/** Before anything is sampled: a true off-policy ratio needs the teacher's own log-probabilities in every row. */
function refuseMissingLogprobs({ teacherRatio }: RunSpec, { pool }: CodeWorld): void {
  if (teacherRatio === 'stored' && pool && pool.withLogprobs < pool.rows)
    throw new SpecError(
      `teacherRatio = stored, and ${pool.rows - pool.withLogprobs} of the pool's ${pool.rows} rows have no log-probabilities of this tokenizer's tokens`,
      'Set teacherRatio to recomputed, or name a pool in teacherPool that a model of this tokenizer has written.',
    );
}

/** The modes that have teacher rows. */
const taughtModes = ({ modes, poolModes }: RunSpec): readonly Mode[] => (poolModes.length > 0 ? poolModes : modes);

function progress(what: string, done: number, total: number): LabEvent {
  return { type: 'prepare', what, done, total };
}
