// From judged groups to the gradient on δS: advantages, one forward, the loss, one backward — student and teacher apart.
import { groupAdvantages } from '../algorithms/advantages.ts';
import { denominator, sequenceLoss } from '../algorithms/grpo-loss.ts';
import type { Policy, ScoredBatch, Sequence } from '../engine/types.ts';
import type { Group, Judged } from '../environments/types.ts';
import { mean, sum } from '../stats/index.ts';
import type { RunSpec } from './spec.ts';

const STUDENT = 0;
const TEACHER = 1;

export interface Advantages {
  /** [group][rollout] */
  values: number[][];
  skipped: boolean[];
}

export function advantagesOf<Verdict>(judged: readonly (readonly Judged<Verdict>[])[], spec: RunSpec): Advantages {
  const groups = judged.map((group) =>
    groupAdvantages(
      group.map(({ reward }) => reward),
      spec.scaleRewards,
    ),
  );
  return { values: groups.map(({ advantages }) => advantages), skipped: groups.map(({ skipped }) => skipped) };
}

/** A turn to be scored, with its rollout's advantage. */
interface Weighted extends Sequence {
  advantage: number;
}

/** Every turn of every rollout of the groups that are not skipped. */
function sequencesOf<Task>(groups: readonly Group<Task>[], advantages: Advantages): Weighted[] {
  return groups.flatMap(({ rollouts }, g) =>
    advantages.skipped[g]
      ? []
      : rollouts.flatMap(({ source, turns }, i) =>
          turns.map(({ promptIds, completionIds }) => ({
            prompt: promptIds,
            completion: completionIds,
            segment: source === 'student' ? STUDENT : TEACHER,
            advantage: advantages.values[g][i],
          })),
        ),
  );
}

/** The first forward of the step, kept for its backward; its owner frees the batch. */
export interface ScoredStep {
  sequences: Weighted[];
  batch: ScoredBatch;
  /** Log-probabilities of the untrained model, with klBeta > 0. */
  reference: readonly Float32Array[] | null;
}

/** Null when every group is skipped. */
export async function scoreStep<Task>(
  policy: Policy,
  total: Float32Array,
  groups: readonly Group<Task>[],
  advantages: Advantages,
  spec: RunSpec,
  signal?: AbortSignal,
): Promise<ScoredStep | null> {
  const sequences = sequencesOf(groups, advantages);
  if (sequences.length === 0) return null;
  let reference: readonly Float32Array[] | null = null;
  if (spec.klBeta > 0) {
    // At δS = 0 the folded model is the base, bit for bit: the reference costs no second model.
    policy.setKnobs(new Float32Array(total.length));
    const base = await policy.score(sequences, 2, signal);
    reference = base.logprobs.map((row) => row.slice());
    base.free();
    policy.setKnobs(total);
  }
  return { sequences, reference, batch: await policy.score(sequences, 2, signal) };
}

export interface StepGradient {
  student: Float32Array;
  teacher: Float32Array;
  loss: number;
  kl: number | null;
  entropy: number | null;
}

/** Loss and gradient. logπ_old is the detached first forward of the step, which is the one and only forward here. */
export async function backwardStep({ sequences, batch, reference }: ScoredStep, spec: RunSpec): Promise<StepGradient> {
  const settings = {
    clipEps: spec.clipEps,
    klBeta: spec.klBeta,
    denominator: denominator(spec.groupSize, spec.maxNew, spec.promptsPerStep),
  };
  const losses = sequences.map(({ advantage }, i) => {
    const logprobs = batch.logprobs[i];
    return sequenceLoss({ logprobs, old: logprobs, reference: reference?.[i], advantage }, settings);
  });
  const tokens = sum(sequences.map(({ completion }) => completion.length));
  const studentEntropy = sequences.flatMap(({ segment }, i) =>
    segment === STUDENT ? Array.from(batch.entropy[i]) : [],
  );
  const [student, teacher] = await batch.backward(losses.map(({ coef }) => coef));
  return {
    student,
    teacher,
    loss: sum(losses.map(({ loss }) => loss)),
    kl: reference ? sum(losses.map(({ kl }) => kl)) / tokens : null,
    entropy: mean(studentEntropy),
  };
}
