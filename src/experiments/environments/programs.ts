// Parts shared by both environments of programs: the grader's reward, the sampler, the teacher's rows from templates or a stored pool, and
// the training prompts' clauses for or against the hack.

import { trainedAs } from '../../environments/code/clauses.ts';
import { epochSampler, honestSampler, partSampler } from '../../environments/code/data.ts';
import { extractCode } from '../../environments/code/fence.ts';
import { CODE_SPLITS } from '../../environments/code/presentation.ts';
import { codeImprovable, codeMetrics, codeQuality, codeReward } from '../../environments/code/reward.ts';
import { hackForm } from '../../environments/code/templates.ts';
import { repaired, solutionDocument, trustedOf } from '../../environments/code/trusted.ts';
import {
  type CodeProblem,
  familySetOf,
  type Grade,
  type Mode,
  type ProblemMode,
} from '../../environments/code/types.ts';
import { payingGains } from '../../environments/exit/types.ts';
import type { ModelHandles, OneTurn } from '../../environments/types.ts';
import { isRecontextualized, stancesOf } from '../config/options/baselines.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { isTrustedBasis } from '../methods/trusted-basis.ts';
import { templatePool } from '../pools/templates.ts';
import type { LabEvent } from '../records/events.ts';
import { type PoolUse, rowsByProblem, storedPoolRows, type TeacherRows } from '../records/pool.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { EnvironmentMaker, EnvironmentPorts } from './definition.ts';
import { EXIT_SETTINGS } from './drawn.ts';

export type CodeEnvironment = TrainingEnvironment<CodeProblem, OneTurn<CodeProblem>, Grade>;
export type CodeEnvironmentMaker = EnvironmentMaker<CodeProblem, OneTurn<CodeProblem>, Grade>;

export interface CodeTasks {
  dynamics: CodeEnvironment['dynamics'];
  training: readonly CodeProblem[];
  evaluation: CodeEnvironment['evaluation']['final'];
  /** Defaults to families and parameters. */
  splits?: CodeEnvironment['splits'];
}

interface Teacher {
  rows: TeacherRows;
  /** Use of the stored pool; null for templates. */
  use: PoolUse | null;
}

type Drafts = Parameters<typeof templatePool>[1]['drafts'];

/** The settings that decide such an environment; the teacher's only if there is a teacher. */
export function codePart(spec: RunSpec): unknown {
  const { dataSeed, modes, honestShare, problems, evalProblems, finalEvalProblems, trainOn } = spec;
  const taught = teacherModes(spec);
  const set = [dataSeed, modes, honestShare, problems, evalProblems, finalEvalProblems];
  const revisions = spec.starts !== 'tasks' ? [EXIT_SETTINGS.map((name) => spec[name]), spec.gain] : [];
  const { graders, trusted, trustedShare, trustedArguments } = spec;
  // The use of trusted problems decides which problems are sampled; which problems are trusted matters even if they are unused. Composed problems
  // are evaluated by which of their parts the trusted ones show.
  const isKnown = graders === 'repaired' || usesTrustedProblems(spec) || familySetOf(spec.environment) === 'composed';
  const known = isKnown ? [graders, trusted, trustedShare, usesTrustedProblems(spec), ...trustedArguments] : [];
  const pool = taught.length > 0 ? [spec.teacherPool, spec.maxNew, taught] : [];
  return [set, pool, stancesOf(spec), trainOn, ...revisions, ...known];
}

/** Whether the run uses trusted problems. */
const usesTrustedProblems = (spec: RunSpec): boolean =>
  spec.trusted !== 'none' || isTrustedBasis(spec) || spec.alsoEvaluate.includes('early_stop');

/** `draftsOf`: the templates' teacher, for problems other than one-line Python's own. */
export async function* assembleCodeEnvironment(
  spec: RunSpec,
  { dynamics, training, evaluation, splits = CODE_SPLITS }: CodeTasks,
  draftsOf: ((problems: readonly CodeProblem[]) => Drafts) | undefined,
  ports: EnvironmentPorts,
): AsyncGenerator<LabEvent, CodeEnvironment> {
  const { evalProblems, finalEvalProblems } = spec;
  // Evaluation prompts have no such clause; ids and tests are unchanged.
  const stances = stancesOf(spec);
  const trained = training.map((problem) => trainedAs(problem, stances, spec.dataSeed));
  const sampled = trained.map((as) => as.sampled);
  const problems = spec.graders === 'repaired' ? sampled.map(repaired) : sampled;
  const scoredPrompts = new Map(trained.map(({ scored: { id, prompt } }) => [id, prompt]));
  const trusted = !usesTrustedProblems(spec)
    ? []
    : trustedOf(problems, spec.trustedShare, spec.dataSeed, spec.trustedArguments);
  yield progress('problems', 1, 1);
  const taught = teacherModes(spec);
  const pupils = problems.filter(({ mode }) => taught.includes(mode));
  const { rows, use }: Teacher =
    pupils.length > 0 ? yield* teacherOf(pupils, spec, draftsOf, ports) : { rows: new Map(), use: null };
  const revising = spec.starts === 'tasks' ? null : await revisionsOf(spec, problems, ports);
  const noModels: ModelHandles = { get: () => undefined };
  const run = ports.grader.run?.bind(ports.grader);
  return {
    dynamics,
    reward: revising?.reward ?? codeReward(ports.grader),
    sampler: revising?.sampler ?? samplerOf(spec, problems, trusted),
    ...(trusted.length > 0 && { trusted: trustedTasks(trusted) }),
    improvable: codeImprovable,
    labels: { id: ({ id }) => id, kind: ({ mode }) => mode },
    figures: codeMetrics,
    isHack: ({ exploited }) => exploited,
    hackForm(problem, answer) {
      return problem.mode === 'honest' ? null : hackForm(problem, problem.mode, extractCode(answer) ?? '');
    },
    ...(run && {
      behaviours: async (groups, signal) =>
        (await import('../../environments/code/grading/behaviour.ts')).behavioursOf(run, groups, signal),
    }),
    models: ports.models ?? noModels,
    ...(isRecontextualized(spec) && { updatePrompt: ({ id, prompt }) => scoredPrompts.get(id) ?? prompt }),
    teacherRows: ({ id }) => rows.get(id) ?? [],
    pool: use,
    splits,
    evaluation: { during: evaluation.slice(0, evalProblems), final: evaluation.slice(0, finalEvalProblems) },
  };
}

/** Samples the whole training set or the part that the spec trains on. */
function samplerOf(
  { trainOn, trusted: use }: RunSpec,
  problems: readonly CodeProblem[],
  trusted: readonly CodeProblem[],
): CodeEnvironment['sampler'] {
  if (use === 'only') return epochSampler(trusted);
  if (use === 'only_paced') return partSampler(problems, (problem) => trusted.includes(problem));
  return trainOn === 'honest' ? honestSampler(problems) : epochSampler(problems);
}

const trustedTasks = (tasks: readonly CodeProblem[]): CodeEnvironment['trusted'] => ({
  tasks,
  sampler: epochSampler(tasks),
  documents: tasks.map(solutionDocument),
});

/** Reward and sampler of a run that revises answers. */
async function revisionsOf(
  spec: RunSpec,
  problems: readonly CodeProblem[],
  { grader }: Pick<EnvironmentPorts, 'grader'>,
) {
  const { exitSampler } = await import('../../environments/exit/sampler.ts');
  return {
    reward: payingGains(codeReward(grader), codeQuality, spec.gain),
    sampler: exitSampler(problems, ({ mode }) => mode, codeImprovable, spec),
  };
}

/** Rows of the stored pool that the spec names, or of the environment's templates. */
async function* teacherOf(
  problems: readonly CodeProblem[],
  { teacherPool: sha256, maxNew, dataSeed }: RunSpec,
  draftsOf: ((problems: readonly CodeProblem[]) => Drafts) | undefined,
  { grader, artifacts, codec, signal }: EnvironmentPorts,
): AsyncGenerator<LabEvent, Teacher> {
  if (sha256 !== '') {
    yield progress('teacher pool', 0, 1);
    const kept = (await artifacts?.loadTeacherPool(sha256)) ?? null;
    return storedPoolRows(sha256, kept, problems, { codec, graderVersion: grader.version, maxNew });
  }
  const rows = yield* templatePool(problems, { dataSeed, drafts: draftsOf?.(problems), grader, artifacts, signal });
  return { rows: rowsByProblem(rows, problems, codec).rows, use: null };
}

/** The modes that have teacher rows. */
function teacherModes({ mix, trainOn, trusted, modes, poolModes }: RunSpec): readonly ProblemMode[] {
  if (mix === 0 || trainOn === 'honest' || trusted === 'only' || trusted === 'only_paced') return [];
  const taught: readonly Mode[] = poolModes.length > 0 ? poolModes : modes;
  return taught;
}

export function progress(what: string, done: number, total: number): LabEvent {
  return { type: 'prepare', what, done, total };
}
