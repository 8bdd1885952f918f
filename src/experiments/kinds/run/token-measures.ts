// Entropy and KL at each token of stored rollouts, by scoring their texts again. Records have neither, only the log-probabilities at sampling,
// which show whether texts and weights are those of the step.
import type { Policy, Sequence } from '../../../engine/types.ts';
import type { TextCodec } from '../../../text/codec.ts';
import type { RolloutRecord } from '../../records/events.ts';
import { episodeTokens } from '../../step/sequences.ts';

/** [turn][token of the completion, with its end token], in nats. */
type ByTurn = readonly (readonly number[])[];

/** Null where a rollout's text cannot be measured; `why` gives the reason. */
export interface RolloutMeasures {
  entropy: ByTurn | null;
  kl: ByTurn | null;
  why: string | null;
}

export interface TokenMeasures {
  /** Distribution behind the entropy: the policy's, or the untrained model's if the step's weights are not stored. KL is then the log-ratio
   *  log p − log p₀ of the sampled token, whose mean over samples is the KL. */
  of: 'policy' | 'untrained';
  /** In the order of the rollouts. */
  rollouts: RolloutMeasures[];
}

/** Largest accepted mean distance in nats between stored and recomputed log-probabilities; devices and passes differ by less. */
const MOST_APART = 0.05;

const CUT = 'The text cannot be cut into the tokens as sampled.';

interface Cut extends Omit<Sequence, 'segment'> {
  /** Number of trained tokens of each turn. */
  turns: number[];
  written: Float32Array | undefined;
}

/**
 * Leaves the policy with other adapter parameters.
 *
 * @param params δS_total of the sampling policy; null if unknown
 */
export async function measureTokens(
  {
    policy,
    codec,
  }: { policy: Pick<Policy, 'distill' | 'score' | 'setAdapterParams' | 'initialAdapterParams'>; codec: TextCodec },
  rollouts: readonly RolloutRecord[],
  params: Float32Array | null,
  signal?: AbortSignal,
): Promise<TokenMeasures> {
  const cuts = rollouts.map((rollout) => cutOf(rollout, codec));
  const known = cuts.filter((cut) => cut !== null);
  const found = new Map<Cut, RolloutMeasures>();
  if (known.length > 0) {
    const rows = await (params === null ? untrained(policy, known, signal) : trained(policy, known, params, signal));
    for (const [i, cut] of known.entries()) found.set(cut, rows[i]);
  }
  return {
    of: params === null ? 'untrained' : 'policy',
    rollouts: cuts.map((cut) => (cut && found.get(cut)) ?? { entropy: null, kl: null, why: CUT }),
  };
}

async function trained(
  policy: Pick<Policy, 'distill' | 'initialAdapterParams'>,
  cuts: readonly Cut[],
  student: Float32Array,
  signal?: AbortSignal,
): Promise<RolloutMeasures[]> {
  const pairs = cuts.map((cut) => ({ student: sequenceOf(cut), teacher: sequenceOf(cut) }));
  const adapterParams = { teacher: policy.initialAdapterParams, student };
  const batch = await policy.distill(pairs, 1, { adapterParams, signal });
  try {
    return cuts.map((cut, i) => {
      const apart = cut.written ? meanAbsoluteDifference(batch.logprobs[i], cut.written) : 0;
      if (!(apart <= MOST_APART))
        return {
          entropy: null,
          kl: null,
          why: `The kept weights give its tokens other log-probabilities than it was sampled with, by ${apart.toPrecision(2)} nats on average.`,
        };
      return { entropy: byTurn(cut, batch.entropy[i]), kl: byTurn(cut, batch.kl[i]), why: null };
    });
  } finally {
    batch.free();
  }
}

async function untrained(
  policy: Pick<Policy, 'score' | 'setAdapterParams' | 'initialAdapterParams'>,
  cuts: readonly Cut[],
  signal?: AbortSignal,
): Promise<RolloutMeasures[]> {
  policy.setAdapterParams(policy.initialAdapterParams);
  const batch = await policy.score(cuts.map(sequenceOf), 1, signal);
  try {
    return cuts.map((cut, i) => {
      const base = batch.logprobs[i];
      const ratio = cut.written?.map((logprob, t) => logprob - base[t]);
      return {
        entropy: byTurn(cut, batch.entropy[i]),
        kl: ratio ? byTurn(cut, ratio) : null,
        why: ratio ? null : 'No log-probabilities are stored with this text.',
      };
    });
  } finally {
    batch.free();
  }
}

const sequenceOf = ({ prompt, completion, mask }: Cut): Sequence =>
  mask ? { prompt, completion, mask, segment: 0 } : { prompt, completion, segment: 0 };

/** Null where re-tokenizing the text gives other tokens than were sampled. */
function cutOf({ turns }: RolloutRecord, codec: TextCodec): Cut | null {
  const cut = turns.map(({ prompt, completion, logprobs, ended }) => {
    const ids = codec.encode(completion);
    const isEnded = logprobs ? logprobs.length === ids.length + 1 : ended !== false;
    return {
      promptIds: codec.rewritesChat ? codec.encode(prompt) : codec.encodeChat(prompt),
      completionIds: isEnded ? [...ids, codec.answerEnd] : ids,
      logprobs: logprobs ? Float32Array.from(logprobs) : undefined,
    };
  });
  const isWhole = cut.every(
    ({ completionIds, logprobs }) =>
      completionIds.length > 0 && (!logprobs || logprobs.length === completionIds.length),
  );
  const whole = isWhole ? episodeTokens(cut) : null;
  if (!whole) return null;
  const { prompt, completion, mask, written } = whole;
  const lengths = cut.map(({ completionIds }) => completionIds.length);
  return { prompt, completion, turns: lengths, written, ...(mask && { mask }) };
}

function byTurn({ turns }: Cut, values: Float32Array): number[][] {
  let at = 0;
  return turns.map((length) => {
    at += length;
    return Array.from(values.subarray(at - length, at));
  });
}

function meanAbsoluteDifference(one: Float32Array, other: Float32Array): number {
  const sum = one.reduce((total, x, i) => total + Math.abs(x - other[i]), 0);
  return sum / one.length;
}
