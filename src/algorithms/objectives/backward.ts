// Computes the loss of `nll` (documents) or `distill` (pairs of a student's and a teacher's sequences) and its gradient with respect to the
// adapter parameters. A batch larger than one pass is split into passes, whose gradients add up in order; the denominators are those of the
// whole batch.
import { trainedTokens as trainedOf } from '../../engine/episodes/episode.ts';
import { type Document, passesOf, sequenceOf, trainedTokens } from '../../engine/objectives/documents.ts';
import type { DistillAdapterParams, DistillPair, Policy, Sequence } from '../../engine/types.ts';
import type { TokenLoss } from './objectives.ts';
import { denominators, distillLoss, type Normaliser, nllLoss } from './objectives.ts';

interface ObjectiveOptions {
  normalise: Normaliser;
  /** Number of gradient accumulators; default: 1. */
  segments?: number;
  /** Most rows of one pass (documents.ts). */
  maxRows?: number;
  signal?: AbortSignal;
}

interface ObjectiveGradient {
  loss: number;
  /** Gradients of the adapter parameters, one vector per segment. */
  gradients: Float32Array[];
  /** Number of trained tokens of all documents. */
  tokens: number;
  /** Log-probabilities of each document's trained tokens. */
  logprobs: Float32Array[];
  entropy: Float32Array[];
}

interface DistillGradient extends ObjectiveGradient {
  kl: Float32Array[];
  teacherLogprobs: Float32Array[];
}

/** A forward pass with pending backward: the losses of its sequences, and the backward pass. */
interface Pass {
  losses: readonly TokenLoss[];
  backward(coef: readonly Float32Array[]): Promise<Float32Array[]>;
  free(): void;
}

/** Mean next-token loss of documents, and its gradient at the current adapter parameters. */
export async function nllBackward(
  policy: Policy,
  documents: readonly Document[],
  options: ObjectiveOptions,
): Promise<ObjectiveGradient> {
  const { segments = 1, signal } = options;
  const divisors = denominators(documents.map(trainedTokens), options.normalise);
  const sequences = documents.map(sequenceOf);
  const scored = { logprobs: [] as Float32Array[], entropy: [] as Float32Array[] };
  const total = await overPasses(sequences, options, async (from, to) => {
    const batch = await policy.score(sequences.slice(from, to), segments, signal);
    scored.logprobs.push(...batch.logprobs);
    scored.entropy.push(...batch.entropy);
    return { ...batch, losses: batch.logprobs.map((logprobs, i) => nllLoss(logprobs, divisors[from + i])) };
  });
  return { ...total, ...scored };
}

/** Mean KL divergence of the student from the teacher, and its gradient with respect to the student's adapter parameters. Without
 *  `adapterParams` the teacher is this policy with the teacher's prompts. */
export async function distillBackward(
  policy: Policy,
  pairs: readonly DistillPair[],
  options: ObjectiveOptions & { adapterParams?: DistillAdapterParams },
): Promise<DistillGradient> {
  const { segments = 1, adapterParams, signal } = options;
  const students = pairs.map(({ student }) => student);
  const lengths = students.map(trainedOf);
  const divisors = denominators(lengths, options.normalise);
  // Passes are sized by the longer sequence of each pair.
  const longer = pairs.map(({ student, teacher }) =>
    teacher.prompt.length > student.prompt.length ? teacher : student,
  );
  const scored = {
    logprobs: [] as Float32Array[],
    entropy: [] as Float32Array[],
    kl: [] as Float32Array[],
    teacherLogprobs: [] as Float32Array[],
  };
  const total = await overPasses(longer, options, async (from, to) => {
    const batch = await policy.distill(pairs.slice(from, to), segments, { adapterParams, signal });
    scored.logprobs.push(...batch.logprobs);
    scored.entropy.push(...batch.entropy);
    scored.kl.push(...batch.kl);
    scored.teacherLogprobs.push(...batch.teacherLogprobs);
    return { ...batch, losses: batch.kl.map((kl, i) => distillLoss(kl, divisors[from + i])) };
  });
  return { ...total, ...scored };
}

/** Runs the forward and backward pass of each part in turn, and adds up the results. */
async function overPasses(
  sequences: readonly Pick<Sequence, 'prompt' | 'completion'>[],
  { maxRows }: ObjectiveOptions,
  open: (from: number, to: number) => Promise<Pass>,
): Promise<Pick<ObjectiveGradient, 'loss' | 'gradients' | 'tokens'>> {
  const sum = { loss: 0, tokens: 0, gradients: [] as Float32Array[] };
  for (const { from, to } of passesOf(sequences, maxRows)) {
    const pass = await open(from, to);
    try {
      const own = await pass.backward(pass.losses.map(({ coef }) => coef));
      for (const [i, gradient] of own.entries()) {
        const held = sum.gradients[i];
        sum.gradients[i] = held ? gradient.map((value, k) => held[k] + value) : gradient;
      }
    } finally {
      pass.free();
    }
    for (const { loss, coef } of pass.losses) {
      sum.loss += loss;
      sum.tokens += coef.length;
    }
  }
  return sum;
}
