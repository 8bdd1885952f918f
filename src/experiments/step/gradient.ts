// From judged groups to the gradient on δS: advantages, one forward, the loss and one backward, with separate gradients for student and
// teacher. With several inner epochs forward and backward are repeated; ratios are taken against the first epoch's anchors.

import { ShapeError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { stepAdvantages } from '../../algorithms/advantages.ts';
import { denominator, lossDenominator, type StepSize, sequenceLoss } from '../../algorithms/grpo-loss.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import type { Policy, ScoredBatch, Sequence } from '../../engine/types.ts';
import type { Group } from '../../environments/types.ts';
import { mean, sum } from '../../stats/index.ts';
import { budgetsOf } from '../config/budgets.ts';
import { isRecontextualized } from '../config/options/baselines.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { StepRow } from '../records/events.ts';
import type { CountedRewards } from './baselines.ts';
import { type EpisodeTokens, episodeTokens } from './sequences.ts';

const STUDENT = 0;
const TEACHER = 1;

export interface Advantages {
  /** [group][rollout]; 0 for a rollout that was dropped. */
  values: number[][];
  skipped: boolean[];
  /** [group][rollout] Whether it stayed in its group (screening drops some). */
  counted: boolean[][];
}

/** Advantages of the counted rewards; with scaleRewards `batch` the sd is over all rewards of the step that count. */
export function advantagesOf(rewards: CountedRewards, spec: RunSpec): Advantages {
  const groups = stepAdvantages(
    rewards.map((group) => group.filter((reward) => reward !== null)),
    spec.scaleRewards,
  );
  const values = rewards.map((group, g) => {
    let next = 0;
    return group.map((reward) => (reward === null ? 0 : groups[g].advantages[next++]));
  });
  return {
    values,
    skipped: groups.map(({ skipped }) => skipped),
    counted: rewards.map((group) => group.map((reward) => reward !== null)),
  };
}

/** A scored episode: one masked sequence with its rollout's advantage. */
interface WeightedEpisode extends EpisodeTokens, Sequence {
  advantage: number;
}

/** Rollouts that count and have tokens; each is one completion, however many turns it has. */
function completionsOf<Task>(groups: readonly Group<Task>[], advantages: Advantages) {
  return groups.flatMap(({ rollouts }, g) =>
    rollouts.flatMap(({ source, turns }, i) => {
      const tokens = advantages.counted[g][i] ? episodeTokens(turns) : null;
      return tokens ? [{ tokens, g, i, source }] : [];
    }),
  );
}

/** References of the ratios and of the KL term, fixed by a step's first forward for all of its inner epochs. */
export interface Anchors {
  /** log π_old: by default the first forward's, detached. Stored ratios take the teacher's own for its rows; importance ratios between two
   *  prompts take the sampling policy's; rollouts whose sampling rounds (areSampledApart) take those recorded at sampling. */
  old: readonly Float32Array[];
  /** Log-probabilities of the untrained model, or of the method's reference, with klBeta > 0. */
  reference: readonly Float32Array[] | null;
}

/** One forward of the step, kept for its backward; the caller frees the batch. */
interface ScoredStep {
  sequences: WeightedEpisode[];
  size: StepSize;
  batch: ScoredBatch;
  anchors: Anchors;
}

interface Scoring {
  policy: Policy;
  spec: RunSpec;
  /** Ratios are taken of the pass's own forward, whatever sampled the rollouts. */
  isOnPolicy?: boolean;
  signal?: AbortSignal;
  /** Adapter parameters of the KL term's reference; the untrained ones if absent. */
  reference?: Float32Array | null;
}

/**
 * Scores a step; null when every group is skipped. `anchors` is null for the first inner epoch; later epochs pass the first's, after the
 * caller has given the policy its current adapter parameters. `segmentOf` says which of two gradients a rollout goes to, if not split
 * into student and teacher.
 */
export async function scoreStep<Task>(
  { policy, spec, signal, isOnPolicy = false, reference: kept }: Scoring,
  total: Float32Array,
  groups: readonly Group<Task>[],
  advantages: Advantages,
  anchors: Anchors | null = null,
  segmentOf?: (group: number, rollout: number) => 0 | 1,
): Promise<ScoredStep | null> {
  const completions = completionsOf(groups, advantages);
  const scored = completions.filter(({ g }) => !advantages.skipped[g]);
  const sequences = scored.map(
    ({ tokens, source, g, i }): WeightedEpisode => ({
      ...tokens,
      segment: segmentOf?.(g, i) ?? (source === 'student' ? STUDENT : TEACHER),
      advantage: advantages.values[g][i],
    }),
  );
  if (sequences.length === 0) return null;
  const size = { completions: completions.length, tokens: sum(completions.map(({ tokens }) => tokens.trained)) };
  if (anchors) {
    policy.setAdapterParams(total);
    return { sequences, size, anchors, batch: await policy.score(sequences, 2, signal) };
  }
  let reference: readonly Float32Array[] | null = null;
  if (spec.klBeta > 0) {
    // With its initial adapter parameters the folded model is the base, bit for bit, so the reference needs no second model.
    policy.setAdapterParams(kept ?? policy.initialAdapterParams);
    const base = await policy.score(sequences, 2, signal);
    reference = base.logprobs.map((row) => row.slice());
    base.free();
    policy.setAdapterParams(total);
  }
  const stored = sequences.map((sequence) =>
    spec.teacherRatio === 'stored' && sequence.segment === TEACHER ? storedLogprobs(sequence) : null,
  );
  const isAsSampled = spec.ratioPrompt === 'rollout';
  const sampled = isAsSampled ? await scoreAsSampled(policy, sequences, signal) : null;
  const batch = await policy.score(sequences, 2, signal);
  const areApart = !isOnPolicy && areSampledApart(spec, policy);
  const own = sequences.map((sequence, i) =>
    areApart && scored[i].source === 'student' && (isAsSampled || !sequence.sampledUnder)
      ? sampledLogprobs(sequence)
      : null,
  );
  const old = stored.map((row, i) => row ?? own[i] ?? sampled?.get(sequences[i]) ?? batch.logprobs[i].slice());
  return { sequences, size, batch, anchors: { old, reference } };
}

/** Log-probabilities of answers under the prompt that they were sampled under, where it is not `prompt`. No update lies between, so this is
 *  the sampling policy. */
async function scoreAsSampled(policy: Policy, sequences: readonly WeightedEpisode[], signal?: AbortSignal) {
  const others = sequences.filter(({ sampledUnder }) => sampledUnder);
  if (others.length === 0) return null;
  const asSampled = others.map((sequence) => ({ ...sequence, prompt: sequence.sampledUnder as readonly number[] }));
  const batch = await policy.score(asSampled, 2, signal);
  const rows = batch.logprobs.map((row) => row.slice());
  batch.free();
  return new Map(others.map((sequence, i) => [sequence, rows[i]]));
}

/** Whether the policy that samples rollouts is not quite the one that scores them: its keys and values are in f16, or a step of decoding rounds its
 *  rows. */
const areSampledApart = (spec: RunSpec, policy: Partial<Pick<Policy, 'roundsSteps'>>): boolean =>
  spec.kvCache === 'f16' || policy.roundsSteps === true;

/** Log-probabilities recorded at sampling. */
function sampledLogprobs({ written, trained }: WeightedEpisode): Float32Array {
  if (written?.length === trained) return written;
  throw new ShapeError(
    `a rollout has ${written?.length ?? 'no'} log-probabilities for ${trained} tokens`,
    'Set kvCache to f32, or choose a device that does not round.',
  );
}

function storedLogprobs({ written, trained }: WeightedEpisode): Float32Array {
  if (written?.length === trained) return written;
  throw new SpecError(
    written
      ? `teacherRatio = stored, and a teacher row has ${written.length} log-probabilities for ${trained} tokens`
      : 'teacherRatio = stored, and a teacher row has no log-probabilities',
    'Set teacherRatio to recomputed, or name a pool in teacherPool that a model of this tokenizer has written.',
  );
}

export interface StepGradient {
  student: Float32Array;
  teacher: Float32Array;
  /** The gradient to step with, if it is not the sum of both (objectives/trusted.ts). */
  combined?: Float32Array;
  /** Fields of the row on which rollouts a gating method chose. */
  joined?: Pick<StepRow, 'gated' | 'gateRecall'>;
  loss: number;
  kl: number | null;
  entropy: number | null;
  /** Set by an objective that has policy ratios. */
  ratios?: Required<Pick<StepRow, 'clipFraction' | 'ratioMean'>>;
  /** Scored tokens by policy ratio (bins of RATIO_EDGES); only where ratios can differ from 1. */
  ratioHistogram?: number[];
}

/** Loss and gradient at the adapter parameters that the batch was scored with. */
export async function backwardStep(
  { sequences, size, batch, anchors: { old, reference } }: ScoredStep,
  spec: RunSpec,
): Promise<Required<Omit<StepGradient, 'combined' | 'joined'>>> {
  const { lossType, clipEps, clipEpsHigh, klBeta, entropyCoef, importanceSampling } = spec;
  const constant = denominator(spec.groupSize, mostTrainedTokens(budgetsOf(spec)), spec.promptsPerStep);
  const losses = sequences.map(({ advantage, trained }, i) =>
    sequenceLoss(
      { logprobs: batch.logprobs[i], old: old[i], reference: reference?.[i], entropy: batch.entropy[i], advantage },
      {
        clipEps,
        clipEpsHigh,
        klBeta,
        entropyCoef,
        importanceSampling,
        denominator: lossDenominator(lossType, trained, size, constant),
      },
    ),
  );
  const tokens = sum(sequences.map(({ trained }) => trained));
  const studentEntropy = sequences.flatMap(({ segment }, i) =>
    segment === STUDENT ? Array.from(batch.entropy[i]) : [],
  );
  const [student, teacher] = await batch.backward(
    losses.map(({ coef }) => coef),
    entropyCoef > 0 ? losses.map((of) => of.entropyCoef) : undefined,
  );
  return {
    student,
    teacher,
    loss: sum(losses.map(({ loss }) => loss)),
    kl: reference ? sum(losses.map(({ kl }) => kl)) / tokens : null,
    entropy: mean(studentEntropy),
    ratios: {
      clipFraction: sum(losses.map(({ clipped }) => clipped)) / tokens,
      ratioMean: sum(losses.map(({ ratios }) => ratios)) / tokens,
    },
    ratioHistogram: losses[0].histogram.map((_, bin) => sum(losses.map(({ histogram }) => histogram[bin]))),
  };
}

/** Whether a ratio can differ from 1, so that it is worth logging. */
export const ratiosMove = (spec: RunSpec, policy: Partial<Pick<Policy, 'roundsSteps'>> = {}): boolean =>
  spec.innerEpochs > 1 ||
  areSampledApart(spec, policy) ||
  (spec.teacherRatio === 'stored' && spec.mix > 0) ||
  (spec.ratioPrompt === 'rollout' && isRecontextualized(spec));
