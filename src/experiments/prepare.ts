// The one file that knows the code substrate: it builds what a run acts in (problems, teacher pool, evaluation sets) and
// what it projects with (bases from the labelled pairs, and their controls). Shared parts are made once per experiment.
import { basisInUse, type HackBasis } from '../algorithms/basis.ts';
import { permuteLabels, randomBasis } from '../algorithms/controls.ts';
import {
  extractBasis,
  type PairGradients,
  pairGradients,
  type RawBasis,
  selectPairs,
} from '../algorithms/extraction.ts';
import type { Policy } from '../engine/types.ts';
import { type CodeEpisode, codeEnvironment } from '../environments/code/environment.ts';
import { type ContrastivePair, contrastivePairs } from '../environments/code/pairs.ts';
import { type PoolRow, poolFromJsonl, poolRow, poolToJsonl, teacherPool } from '../environments/code/pool.ts';
import { evaluationSet, makeProblemSet } from '../environments/code/problem-sets.ts';
import { codeReward } from '../environments/code/reward.ts';
import { epochSampler } from '../environments/code/sampler.ts';
import type { CodeProblem, Grade, Grader } from '../environments/code/types.ts';
import type { ModelHandles } from '../environments/types.ts';
import { SpecError } from '../lib/errors.ts';
import { completionIds } from '../text/codec.ts';
import type { TextCodec } from '../text/types.ts';
import { type ArtifactStore, contentKey } from './artifacts.ts';
import type { RunBases } from './bases.ts';
import type { LabEvent } from './events.ts';
import type { RunSpec, ShadowSpec } from './spec.ts';
import type { TeacherRow, World } from './tasks.ts';

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
}

/** Teacher rows graded per call, so that progress is seen. */
const GRADE_CHUNK = 128;

export class CodePreparation {
  readonly #ports: PreparePorts;
  readonly #worlds = new Map<string, CodeWorld>();
  readonly #gradients = new Map<string, { pairs: ContrastivePair[]; gradients: PairGradients }>();

  constructor(ports: PreparePorts) {
    this.#ports = ports;
  }

  async *prepare(spec: RunSpec): AsyncGenerator<LabEvent, Prepared> {
    if (spec.environment !== codeEnvironment.id)
      throw new SpecError(`environment = ${JSON.stringify(spec.environment)}`, `This lab has ${codeEnvironment.id}.`);
    const world = yield* this.#world(spec);
    const bases = yield* this.#bases(spec);
    return { world, bases };
  }

  async *#world(spec: RunSpec): AsyncGenerator<LabEvent, CodeWorld> {
    const { dataSeed, modes, honestShare, problems: count, evalProblems, finalEvalProblems } = spec;
    const withTeacher = spec.mix > 0;
    const key = JSON.stringify([dataSeed, modes, honestShare, count, evalProblems, finalEvalProblems, withTeacher]);
    const known = this.#worlds.get(key);
    if (known) return known;
    yield progress('problems', 0, 1);
    const problems = makeProblemSet({ modes, honestShare, count, dataSeed });
    // The set alternates and schedules so that every prefix is balanced: the small set is the beginning of the large one.
    const evaluation = evaluationSet({
      modes,
      honestShare,
      dataSeed,
      count: Math.max(evalProblems, finalEvalProblems),
    }).map(({ problem, unseen }) => ({ task: problem, unseen }));
    yield progress('problems', 1, 1);
    const rows = withTeacher ? yield* this.#teacher(problems, dataSeed) : new Map<string, TeacherRow<Grade>[]>();
    const noModels: ModelHandles = { get: () => undefined };
    const world: CodeWorld = {
      environment: codeEnvironment,
      reward: codeReward(this.#ports.grader),
      sampler: epochSampler(problems),
      labels: { id: ({ id }) => id, mode: ({ mode }) => mode, grade: (grade) => grade },
      models: noModels,
      teacherRows: ({ id }) => rows.get(id) ?? [],
      evaluation: { during: evaluation.slice(0, evalProblems), final: evaluation.slice(0, finalEvalProblems) },
    };
    this.#worlds.set(key, world);
    return world;
  }

  /** The pool: templates, graded once by the real grader, then frozen. */
  async *#teacher(
    problems: readonly CodeProblem[],
    dataSeed: number,
  ): AsyncGenerator<LabEvent, Map<string, TeacherRow<Grade>[]>> {
    const { grader, artifacts, codec, signal } = this.#ports;
    const drafts = teacherPool(problems, { dataSeed });
    const byId = new Map(problems.map((problem) => [problem.id, problem]));
    const key = await contentKey({ drafts, grader: grader.version });
    const kept = await artifacts?.loadPool(key);
    const rows: PoolRow[] = kept ? poolFromJsonl(kept) : [];
    if (!kept) {
      for (let from = 0; from < drafts.length; from += GRADE_CHUNK) {
        yield progress('teacher pool', from, drafts.length);
        const part = drafts.slice(from, from + GRADE_CHUNK);
        const items = part.map(({ problem_id, completion }) => ({ problem: byId.get(problem_id)!, completion }));
        const grades = await grader.grade(items, signal);
        rows.push(...part.map((draft, i) => poolRow(draft, grades[i])));
      }
      await artifacts?.savePool(key, poolToJsonl(rows));
    }
    yield progress('teacher pool', drafts.length, drafts.length);
    const byProblem = new Map<string, TeacherRow<Grade>[]>();
    for (const row of rows) {
      const { problem_id, completion, reward } = row;
      const known = byProblem.get(problem_id) ?? [];
      const verdict = gradeOfRow(row, byId.get(problem_id)!);
      known.push({ completion, completionIds: completionIds(codec, completion), reward, verdict });
      byProblem.set(problem_id, known);
    }
    return byProblem;
  }

  async *#bases(spec: RunSpec): AsyncGenerator<LabEvent, RunBases> {
    const { policy } = this.#ports;
    const layout = policy.knobs;
    const { pairs, gradients } = yield* this.#pairGradients(spec);
    const axes = Math.max(spec.k, ...spec.shadows.map(({ k }) => k));
    const extract = (from: PairGradients) => extractBasis(from, layout, { k: axes, tauAxis: spec.tauAxis });
    const inUse = (raw: RawBasis, k: number) => basisInUse(raw, layout, { k, dropBottomFrac: spec.dropBottomFrac });
    const imported = spec.basisSource === 'file' ? await this.#imported(spec.basisFile) : null;
    const real = imported ?? extract(gradients);
    const basisOf = (kind: ShadowSpec['kind'] | 'permuted', k: number, mode: ShadowSpec['mode']): HackBasis => {
      if (kind === 'random') return randomBasis(inUse(real, k), layout, spec.seed);
      if (kind === 'permuted') return inUse(extract(permuteLabels(gradients, spec.seed)), k);
      if (kind === 'leave_out') return inUse(extract(selectPairs(gradients, otherModes(pairs, mode))), k);
      return inUse(real, k);
    };
    const own = spec.basisSource === 'random' || spec.basisSource === 'permuted' ? spec.basisSource : 'real';
    return {
      own: basisOf(own, spec.k, null),
      shadows: spec.shadows.map((shadow) => ({ spec: shadow, basis: basisOf(shadow.kind, shadow.k, shadow.mode) })),
    };
  }

  /** Gradients of the pairs that count (held-out ones at the end are left alone), at the untrained model. */
  async *#pairGradients(
    spec: RunSpec,
  ): AsyncGenerator<LabEvent, { pairs: ContrastivePair[]; gradients: PairGradients }> {
    const { policy, codec, artifacts, modelSha256, signal } = this.#ports;
    const { dataSeed, modes, pairs: count, nHeldout, tauAxis } = spec;
    const key = JSON.stringify([dataSeed, modes, count, nHeldout]);
    const known = this.#gradients.get(key);
    if (known) return known;
    yield progress('hack basis', 0, count);
    const pairs = contrastivePairs({ count, modes, dataSeed }).slice(0, count - nHeldout);
    policy.setKnobs(new Float32Array(policy.knobs.total));
    const gradients = await pairGradients(
      policy,
      pairs.map(({ prompt, hack, clean }) => ({
        prompt: codec.encode(prompt),
        hack: completionIds(codec, hack),
        clean: completionIds(codec, clean),
      })),
      signal,
    );
    if (artifacts) {
      const k = Math.max(spec.k, ...spec.shadows.map((shadow) => shadow.k));
      const pairsSha256 = await contentKey(pairs);
      const info = { k, nPairs: pairs.length, tauAxis, nHeldout, modelSha256, pairsSha256 };
      await artifacts.saveBasis(
        { key: await contentKey(info), ...info },
        extractBasis(gradients, policy.knobs, { k, tauAxis }),
      );
    }
    yield progress('hack basis', count, count);
    const made = { pairs, gradients };
    this.#gradients.set(key, made);
    return made;
  }

  async #imported(id: string): Promise<RawBasis> {
    const basis = await this.#ports.artifacts?.loadBasis(id);
    if (basis) return basis;
    throw new SpecError(
      `no imported basis has the id ${JSON.stringify(id)}`,
      'Import the file again, or choose another.',
    );
  }
}

/** Indices of the pairs of every other mode. */
function otherModes(pairs: readonly ContrastivePair[], mode: ShadowSpec['mode']): number[] {
  return Array.from(pairs.keys()).filter((i) => pairs[i].mechanism !== mode);
}

/** A frozen row holds the verdict in the reference's fields; what they do not say follows from the reward's definition. */
function gradeOfRow(row: PoolRow, problem: CodeProblem): Grade {
  return {
    formatOk: row.reward - (row.passed ? 1 : 0) > 0,
    passed: row.passed,
    gtCorrect: row.gt_correct,
    exploited: row.exploited,
    structural: row.mechanism === problem.mode,
    mechanism: row.mechanism,
    reward: row.reward,
    note: null,
  };
}

function progress(what: string, done: number, total: number): LabEvent {
  return { type: 'prepare', what, done, total };
}
