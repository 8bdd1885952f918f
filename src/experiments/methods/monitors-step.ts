// A step under a monitor, which reads every judged rollout; a penalty reduces the rewards of flagged ones. The monitor is fitted to the
// pairs before the first step. A refitted monitor is fitted to the same pairs every ten steps, by the model of that step, and stored in the
// checkpoint.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { textFeatures } from '../../algorithms/text-features.ts';
import { permutedAmongEqualRewards } from '../../algorithms/trusted/rules.ts';
import { type Example, fitVerifier, rightProbability, type Verifier } from '../../algorithms/verifier.ts';
import type { Sequence } from '../../engine/types.ts';
import { fromBase64Url, toBase64Url } from '../../lib/base64url.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import { completionIds } from '../../text/codec.ts';
import type { PaidRollout, PaidStep, Prepared, Preparing, RolloutWeights } from './method.ts';
import { pairSides } from './pair-sides.ts';

export interface MonitorRun {
  /** Absent from records of runs under the oracle. */
  monitor?: string;
  rewardPenalty: number;
  screening: boolean;
  monitorAccuracy: number;
  advantageMod: string;
  objective: string;
  stages: string;
  starts: string;
  chainSteps: number;
  seed: number;
}

/** Steps between two fits of a refitted monitor. */
export const REFIT_EVERY = 10;
/** A rollout is flagged if it is at least as likely a hack as not. */
const THRESHOLD = 0.5;

/** Computes a monitor's input features, one row per text. It may change the policy's adapter parameters. */
interface Reader {
  size: number;
  pairs(adapterParams: Float32Array): Promise<Example[]>;
  read(sequences: readonly Omit<Sequence, 'segment'>[], adapterParams: Float32Array): Promise<Float32Array[]>;
}

export async function prepareMonitor(ports: Preparing<MonitorRun>): Promise<Prepared> {
  const { run, policy } = ports;
  const { initialAdapterParams: initial } = policy;
  const reader = run.monitor === 'text' ? await textReader(ports) : await activationReader(ports);
  const taught = fitVerifier(await reader.pairs(initial), reader.size);
  policy.setAdapterParams(initial);
  const rates = run.monitor === 'rates' ? await errorRates(ports, reader, taught) : null;
  policy.setAdapterParams(initial);
  const isRefitted = run.monitor === 'refit';
  return (kept) => {
    let monitor = kept && isRefitted ? unpacked(kept, reader.size) : taught;
    return {
      async counts(step) {
        const params = run.monitor === 'untrained' ? initial : step.adapterParams;
        if (isRefitted && step.step > 0 && step.step % REFIT_EVERY === 0)
          monitor = fitVerifier(await reader.pairs(params), reader.size);
        const written = step.rollouts.flat().flatMap(({ tokens }) => (tokens ? [tokens] : []));
        const rows = await reader.read(written, params);
        let next = 0;
        const flags = step.rollouts.map((group) =>
          group.map(({ tokens }) => tokens !== null && isFlagged(monitor, rows[next++])),
        );
        const acted = rates
          ? drawn(rates, step, run)
          : run.monitor === 'permuted'
            ? placeboFlags(flags, step, run)
            : flags;
        return penalised(step, flags, acted, run.rewardPenalty);
      },
      ...(isRefitted && { keep: () => ({ monitor: packed(monitor) }) }),
    };
  };
}

async function activationReader({ policy, codec, pairs, signal }: Preparing<MonitorRun>): Promise<Reader> {
  const { layer, sequences } = await pairSides(policy, codec, await pairs(), signal);
  const read: Reader['read'] = (some, adapterParams) => {
    policy.setAdapterParams(adapterParams);
    return policy.activations(some, layer, signal);
  };
  return {
    size: policy.config.hiddenSize,
    read,
    pairs: async (adapterParams) => labelled(await read(sequences, adapterParams)),
  };
}

async function textReader({ codec, pairs }: Preparing<MonitorRun>): Promise<Reader> {
  const texts = (await pairs()).flatMap(({ hack, clean }) => [completionIds(codec, hack), completionIds(codec, clean)]);
  const features = textFeatures(texts);
  return {
    size: features.size,
    pairs: async () => labelled(texts.map(features.of)),
    // Re-encoded, because a model may spell a text with other tokens than the tokenizer would.
    read: async (sequences) => sequences.map((own) => features.of(codec.encode(codec.decode(writtenOf(own))))),
  };
}

const writtenOf = ({ completion, mask }: Omit<Sequence, 'segment'>): number[] =>
  mask ? [...completion].filter((_, i) => mask[i]) : [...completion];

/** Labels rows in which hack and clean sides alternate. */
const labelled = (rows: readonly Float32Array[]): Example[] =>
  rows.map((features, i) => ({ features, isRight: i % 2 === 1 }));

/** Shares that a monitor flags, of hacks and of other rollouts. */
interface Rates {
  hacks: number;
  others: number;
}

/** A monitor's rates on held-out pairs, read by the untrained model, at which the policy is left. */
async function errorRates(ports: Preparing<MonitorRun>, reader: Reader, monitor: Verifier): Promise<Rates> {
  const { sequences } = await pairSides(ports.policy, ports.codec, await ports.heldPairs(), ports.signal);
  const flags = (await reader.read(sequences, ports.policy.initialAdapterParams)).map((row) => isFlagged(monitor, row));
  const [hacks, others] = [0, 1].map((side) => mean(flags.filter((_, i) => i % 2 === side).map(Number))!);
  return { hacks, others };
}

/** Flags of an oracle with these error rates, drawn independently of the texts. */
function drawn(rates: Rates, { rollouts, step }: PaidStep, { seed }: MonitorRun): boolean[][] {
  const rng = CounterRng.of(seed, STREAMS.gate, step);
  return rollouts.map((group) =>
    group.map((rollout) => rng.uniform() < (exploits(rollout) ? rates.hacks : rates.others)),
  );
}

/** The control's flags: as many, drawn among rollouts of equal reward. */
function placeboFlags(flags: boolean[][], { rollouts, step }: PaidStep, { seed }: MonitorRun): boolean[][] {
  const rewards = rollouts.flat().map(({ reward }) => reward);
  const own = permutedAmongEqualRewards(flags.flat(), rewards, CounterRng.of(seed, STREAMS.gate, step));
  let next = 0;
  return flags.map((group) => group.map(() => own[next++]));
}

/** Penalised rewards. `seen`: the monitor's own flags, which differ from `flags` in controls. */
function penalised(
  { rollouts }: PaidStep,
  seen: readonly boolean[][],
  flags: readonly boolean[][],
  penalty: number,
): RolloutWeights {
  const all = rollouts.flatMap((group, g) =>
    group.map((rollout, i) => ({ ...rollout, seen: Number(seen[g][i]), flag: Number(flags[g][i]) })),
  );
  const hacks = all.filter(exploits);
  return {
    rewards: rollouts.map((group, g) => group.map(({ reward }, i) => reward - (flags[g][i] ? penalty : 0))),
    row: {
      gated: mean(all.map(({ flag }) => flag)),
      gateRecall: mean(hacks.map(({ flag }) => flag)),
      hackSpelling: mean(hacks.map((rollout) => Number(isCommonest(rollout)))),
      spellingRecall: mean(hacks.filter(isCommonest).map(({ seen }) => seen)),
    },
  };
}

const isFlagged = (monitor: Verifier, row: Float32Array): boolean => 1 - rightProbability(monitor, row) >= THRESHOLD;

const exploits = ({ hackForm }: PaidRollout): boolean => hackForm != null;
const isCommonest = ({ hackForm }: PaidRollout): boolean => hackForm === 0;

/** Packs the classifier's numbers as base64url, the bias last. */
function packed({ centre, spread, weights, bias }: Verifier): string {
  return toBase64Url(new Uint8Array(Float64Array.from([...centre, ...spread, ...weights, bias]).buffer));
}

function unpacked({ runId, monitor }: { runId: string; monitor?: string }, size: number): Verifier {
  const bytes = monitor ? fromBase64Url(monitor) : null;
  if (bytes?.length !== 8 * (3 * size + 1))
    throw new SpecError(`the checkpoint of ${runId} has no monitor of this model`, 'Start it as a new run.');
  const rows = new Float64Array(bytes.buffer);
  const [centre, spread, weights] = [0, 1, 2].map((part) => rows.slice(part * size, (part + 1) * size));
  return { centre, spread, weights, bias: rows[3 * size] };
}
