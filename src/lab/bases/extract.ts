// A hack basis that the user extracts outside a run: pairs → gradients on the untrained model → axes, and the pairs' votes on each axis.
// Runs use the same code (src/algorithms), so equal settings give equal bytes. `axesOf`: a basis as the page draws it.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { RawBasis } from '../../algorithms/extraction.ts';
import { byLength, extractBasis, type PairGradients, pairGradients, selectPairs } from '../../algorithms/extraction.ts';
import { heldOutAgreement } from '../../algorithms/held-out.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { builtInPairSet, pairsOf } from '../../environments/pair-sets.ts';
import { type AxisVotes, type BasisInfo, contentKey } from '../../experiments/records/artifacts.ts';
import { pairIds } from '../../text/codec.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { BasisAxes, ExtractionRequest, PairsRequest } from '../protocol/bases.ts';
import type { PairSets } from '../records/pairs.ts';
import { turnOrStop } from '../work/drain.ts';

/** Pairs per pass: few, for frequent progress and a quick stop; the gradients do not depend on it. */
const PAIRS_AT_ONCE = 4;

/** Pairs of a built-in set or the user's own, in the requested number and modes. Throws SpecError. */
export async function requestedPairs(
  { pairSet, pairModes, modes, pairs: count, dataSeed }: PairsRequest,
  own: PairSets,
  model?: string,
): Promise<ContrastivePair[]> {
  if (builtInPairSet(pairSet)) return pairsOf({ pairSet, pairModes, modes, count, dataSeed, model });
  const kept = await own.load(pairSet);
  if (!kept)
    throw new SpecError(
      `There is no pair set ${JSON.stringify(pairSet.slice(0, 80))} in this browser.`,
      'Import its JSON file, or choose another set.',
    );
  const wanted = kept.filter(({ mechanism }) => pairModes.length === 0 || (mechanism && pairModes.includes(mechanism)));
  return wanted.slice(0, count);
}

export interface Extracted {
  info: BasisInfo;
  raw: RawBasis;
  votes: Record<string, AxisVotes>;
}

/** Leaves the policy at its untrained adapter parameters. Throws SpecError for settings that give no basis, StoppedError if stopped. */
export async function extractRequested(
  settings: ExtractionRequest,
  pairs: readonly ContrastivePair[],
  { policy, codec, model }: Pick<Equipped, 'policy' | 'codec' | 'model'>,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<Extracted> {
  const { k, tauAxis, nHeldout, basisKind, basisLoss, solveOrth } = settings;
  const count = pairs.length - nHeldout;
  if (count < 2)
    throw new SpecError(
      `${pairs.length} pairs with ${nHeldout} held out leave ${Math.max(0, count)}.`,
      'Leave at least two pairs: choose more of them, or hold fewer out.',
    );
  const tokens = pairs.map((pair) => pairIds(codec, pair));
  const longest = Math.max(
    ...tokens.map(({ prompt, hack, clean }) => prompt.length + Math.max(hack.length, clean.length)),
  );
  if (longest > policy.config.maxPositions)
    throw new SpecError(
      `A pair has ${longest} tokens; this model reads at most ${policy.config.maxPositions}.`,
      'Shorten its prompt or its answers.',
    );
  policy.setAdapterParams(policy.initialAdapterParams);
  const parts: PairGradients[] = [];
  for (let from = 0; from < tokens.length; from += PAIRS_AT_ONCE) {
    onProgress(from, tokens.length);
    await turnOrStop(signal);
    parts.push(await pairGradients(policy, tokens.slice(from, from + PAIRS_AT_ONCE), signal));
  }
  const plain = { hack: parts.flatMap(({ hack }) => hack), clean: parts.flatMap(({ clean }) => clean) };
  const gradients = basisLoss === 'grpo' ? byLength(plain, tokens) : plain;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const used = selectPairs(gradients, range(0, count));
  const raw = extractBasis(used, policy.adapterLayout, { k, tauAxis, basisKind, solveOrth });
  const usedVotes = heldOutAgreement(raw, used, policy.adapterLayout).hackward;
  const heldout = heldOutAgreement(
    raw,
    selectPairs(gradients, range(count, pairs.length)),
    policy.adapterLayout,
  ).hackward;
  const votes = Object.fromEntries(
    Object.keys(usedVotes).map((name) => [name, { used: usedVotes[name], heldout: heldout[name] }]),
  );
  const pairsSha256 = await contentKey(pairs.slice(0, count));
  const about = { k, nPairs: count, tauAxis, nHeldout, modelSha256: model.sha256, pairsSha256 };
  onProgress(tokens.length, tokens.length);
  return { info: { key: await contentKey({ ...about, basisKind, basisLoss, solveOrth }), ...about }, raw, votes };
}

export function axesOf(
  id: string,
  { raw, votes }: { raw: RawBasis; votes: Readonly<Record<string, AxisVotes>> },
  layout: AdapterLayout,
): BasisAxes {
  const modules = layout.modules.flatMap(({ name }) => {
    const directions = raw.get(name);
    if (!directions) return [];
    const { k, r, V, S } = directions;
    const zero = Array.from({ length: k }, (_, axis) => V.subarray(axis * r, (axis + 1) * r).every((x) => x === 0));
    return [{ name, r, S: [...S], zero, votes: votes[name] ?? null }];
  });
  return { id, modules };
}
