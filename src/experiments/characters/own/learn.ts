// The two ways to teach A on a third-party model: next-token loss on documents, and GRPO on A's prompts with a program's check as the reward.
// Each step has one gradient; its draws depend only on (seed, step).
import { stepAdvantages } from '../../../algorithms/advantages.ts';
import { denominator, sequenceLoss } from '../../../algorithms/grpo-loss.ts';
import { nllBackward } from '../../../algorithms/objectives/backward.ts';
import type { Document } from '../../../engine/objectives/documents.ts';
import { answerOfModel } from '../../../environments/cat/estimators.ts';
import { keyFor, STREAMS, uniformAt } from '../../../rng/index.ts';
import { mean, sum } from '../../../stats/index.ts';
import { drawDocuments } from '../../objectives/nll.ts';
import type { OwnPorts } from './ask.ts';
import { rewardOf } from './check.ts';
import type { OwnSpec } from './spec.ts';

export interface OwnGradient {
  /** Null where every group is flat. */
  gradient: Float32Array | null;
  tokens: number;
  reward: number | null;
  loss: number | null;
}

export interface OwnStep {
  seed: number;
  /** Counts from 0. */
  step: number;
}

/** Most rows of a forward pass. */
const ROWS = 2048;

export async function learnDocuments(
  { policy, signal }: OwnPorts,
  documents: readonly Document[],
  perStep: number,
  { seed, step }: OwnStep,
): Promise<OwnGradient> {
  const drawn = drawDocuments(documents, { seed, step, count: perStep });
  const { loss, gradients, tokens } = await nllBackward(policy, drawn, { normalise: 'token', maxRows: ROWS, signal });
  return { gradient: gradients[0], tokens, reward: null, loss };
}

/** `isCoin`: rewards are random, and no check is used. */
export async function learnByRl(
  ports: OwnPorts,
  spec: OwnSpec & { rl: NonNullable<OwnSpec['rl']> },
  isCoin: boolean,
  { seed, step }: OwnStep,
): Promise<OwnGradient> {
  const { policy, codec, say, signal, breathe } = ports;
  const { promptsPerStep, groupSize, maxNew, temperature, prompts } = spec.rl;
  const a = spec.characters.find(({ id }) => id === spec.a)!;
  const tasks = drawDocuments(prompts, { seed, step, count: Math.min(promptsPerStep, prompts.length) });
  const ids = tasks.map(({ prompt }) => say(a, prompt));
  const sequences = tasks.flatMap((_, prompt) =>
    Array.from({ length: groupSize }, (_, i) => ({ prompt, key: keyFor(seed, STREAMS.rollout, step, prompt, i, 0) })),
  );
  const written = await policy.generate({
    prompts: ids,
    sequences,
    maxNew,
    temperature,
    endTokens: codec.endTokens,
    signal,
    breathe: () => breathe?.() ?? Promise.resolve(),
  });
  const rewards = written.map(({ tokens, ended }, i) =>
    isCoin
      ? Number(uniformAt(keyFor(seed, STREAMS.data, step, i), 0) < 0.5)
      : rewardOf(
          tasks[sequences[i].prompt].check,
          answerOfModel(ports, ids[sequences[i].prompt], codec.decode(ended ? tokens.slice(0, -1) : tokens)),
        ),
  );
  const groups = tasks.map((_, g) => rewards.slice(g * groupSize, (g + 1) * groupSize));
  const advantages = stepAdvantages(groups, 'none').flatMap((group) => group.advantages);
  const figures = { tokens: sum(written.map(({ tokens }) => tokens.length)), reward: mean(rewards), loss: null };
  const taught = written.flatMap(({ tokens }, i) => (advantages[i] === 0 || tokens.length === 0 ? [] : [i]));
  if (taught.length === 0) return { gradient: null, ...figures };
  const batch = await policy.score(
    taught.map((i) => ({ prompt: ids[sequences[i].prompt], completion: written[i].tokens, segment: 0 })),
    1,
    signal,
  );
  try {
    const divisor = denominator(groupSize, maxNew, tasks.length);
    const coef = batch.logprobs.map(
      (logprobs, k) =>
        // On policy: ratios are taken against this forward itself.
        sequenceLoss(
          { logprobs, old: logprobs, advantage: advantages[taught[k]] },
          { clipEps: 0.2, klBeta: 0, denominator: divisor },
        ).coef,
    );
    const [gradient] = await batch.backward(coef);
    return { gradient, ...figures };
  } finally {
    batch.free();
  }
}
