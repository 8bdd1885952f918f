// Scores probes with a model: the probability and log-odds of their completions at temperature 1, without sampling.
import type { Policy } from '../../engine/types.ts';
import type { Probe } from '../../environments/characters/texts.ts';
import type { TextCodec } from '../../text/codec.ts';

export interface Scored {
  p: number;
  /** ln p − ln(1 − p), within ±LIMIT. */
  logit: number;
}

const BATCH = 256;
/** Log-odds beyond this are clipped: f32 log-probabilities near 0 carry no more precision. */
const LIMIT = 14;

export async function scoreProbes(
  policy: Policy,
  codec: Pick<TextCodec, 'encode'>,
  probes: readonly Probe[],
  signal?: AbortSignal,
): Promise<Scored[]> {
  const out: Scored[] = [];
  for (let from = 0; from < probes.length; from += BATCH) {
    const part = probes.slice(from, from + BATCH);
    const sequences = part.map(({ context, scored }) => ({
      prompt: codec.encode(context),
      completion: codec.encode(scored),
      segment: 0,
    }));
    const batch = await policy.score(sequences, 1, signal);
    batch.free();
    part.forEach(({ isComplement }, i) => {
      const logprob = batch.logprobs[i].reduce((sum, x) => sum + x, 0);
      const bounded = Math.min(logprob, 0);
      const odds = Math.max(-LIMIT, Math.min(LIMIT, bounded - Math.log(-Math.expm1(bounded))));
      const p = Math.exp(bounded);
      out.push(isComplement ? { p: 1 - p, logit: -odds } : { p, logit: odds });
    });
  }
  return out;
}

/** Scores several lists of probes at once, each by name. */
export async function scoreLists(
  { policy, codec, signal }: { policy: Policy; codec: Pick<TextCodec, 'encode'>; signal?: AbortSignal },
  lists: readonly (readonly [name: string, probes: readonly Probe[]])[],
): Promise<(name: string) => Scored[]> {
  const all = await scoreProbes(
    policy,
    codec,
    lists.flatMap(([, probes]) => probes),
    signal,
  );
  const byName = new Map<string, Scored[]>();
  let from = 0;
  for (const [name, { length }] of lists) {
    byName.set(name, all.slice(from, from + length));
    from += length;
  }
  return (name) => byName.get(name) ?? [];
}
