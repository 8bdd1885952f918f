// A probe as data: how much of a pool is replayed, and the run that gives adapter, basis, gate and optimizer.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EMBEDDED_MODELS } from '../../config/preset-in.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { Settings } from '../../config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../../config/spec.ts';

export interface ProbeSpec {
  /** Number of problems (steps), and of samples per problem (G). */
  problems: number;
  perProblem: number;
  /** Number of random axes for T4's null. */
  randomDraws: number;
  /** Number of relabellings to draw if there are too many to count. */
  permutations: number;
  /** Whether rows also have each module's cosine. */
  perModule: boolean;
  /** The two replays: settings of a run of the arms `none` and `erase`, with one step per problem. */
  vanilla: RunSpec;
  projected: RunSpec;
}

export interface ProbeInput {
  problems?: number;
  perProblem?: number;
  seed?: number;
  perModule?: boolean;
  /** Any setting of a run: adapter, basis, gate, lr, modes … */
  overrides?: Partial<Settings>;
}

/** Default sizes; each problem has G = 8 samples. */
export const PROBE_PROBLEMS = 20;
export const PROBE_SAMPLES = 8;
/** With 39 draws the smallest p of a rank is 1/40. */
const RANDOM_DRAWS = 39;
const PERMUTATIONS = 10_000;

/** Of eight template hacks, the number with a correct body: as many as a mode has forms, so that no text occurs twice. */
export const CORRECT_ROWS = 3;

/** The embedded model that was trained to hack; it writes the pool by default. */
export const TEACHER = 'tiny-hacker';
export const TEACHER_WORDS = `${TEACHER}, the embedded ONNX teacher`;

/** The embedded model for the problems that a probe uses. */
export const PROBED = 'tiny-coder';

/** Refuses embedded models of other environments, since a probe uses the problems of one. Throws SpecError. */
export function checkProbeModel(id: string): void {
  if (id === PROBED || !EMBEDDED_MODELS.includes(id)) return;
  throw new SpecError(
    `model = ${JSON.stringify(id)}: it was made for other problems than a probe asks`,
    `Load ${PROBED}, or a model of your own.`,
  );
}

/** Throws SpecError. */
export function probeSpec(input: ProbeInput = {}): ProbeSpec {
  const { problems = PROBE_PROBLEMS, perProblem = PROBE_SAMPLES, seed = 41, perModule = false } = input;
  if (!(Number.isInteger(problems) && problems >= 1))
    throw new SpecError(`problems = ${problems}`, 'Replay at least one problem.');
  if (!(Number.isInteger(perProblem) && perProblem >= 1))
    throw new SpecError(`perProblem = ${perProblem}`, 'Replay at least one sample of a problem.');
  const overrides = {
    ...input.overrides,
    steps: problems,
    promptsPerStep: 1,
    honestShare: 0,
    // Nothing is rolled out, so groups have no teacher share.
    mix: 0,
  };
  const experiment = parseExperimentSpec({ preset: 'classic', arms: ['none', 'erase'], seeds: [seed], overrides });
  return {
    problems,
    perProblem,
    randomDraws: RANDOM_DRAWS,
    permutations: PERMUTATIONS,
    perModule,
    vanilla: resolveRun(experiment, 'none', seed),
    projected: resolveRun(experiment, 'erase', seed),
  };
}
