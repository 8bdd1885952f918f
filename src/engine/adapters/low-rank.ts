// Exact factors of each Linear's update ΔW = B A on the host, for export to other tools. For svd, A = diag(√|δS|) Vh and
// B = U diag(sign(δS) √|δS|), ordered by decreasing |δS|, the singular values of ΔW; for lora its own factors; for blocks
// B ΔA + ΔB A0 (blocks.ts). For `full`, ΔW is given as a whole matrix.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { loraParts, quarantineMask } from '../adapter-layout.ts';
import type { AdapterLayout, AdapterModule, AdapterSettings } from '../types.ts';
import { frozenBlocks } from './frozen-blocks.ts';
import type { Factors } from './svd.ts';

type Floats = Float32Array | Float64Array;

/** ΔW = B A with A [r, dIn] and B [dOut, r]. */
export interface LowRank {
  r: number;
  a: Floats;
  b: Floats;
  /** The singular values of ΔW, decreasing, if A's rows and B's columns are its scaled singular vectors; otherwise null. */
  sigma: readonly number[] | null;
}

/** One Linear's update: a product, or a matrix [dOut, dIn]; null if it is zero. */
export type ModuleUpdate = LowRank | { whole: Float32Array } | null;

export interface TrainedAdapter {
  layout: AdapterLayout;
  adapter: AdapterSettings['adapter'];
  /** Adapter parameters with the quarantine, [layout.total]. */
  trained: Float32Array;
  /** Adapter parameters without the quarantine. */
  deployed: Float32Array;
  /** Singular vectors of a Linear, needed only for an svd adapter. */
  factors?: (module: AdapterModule) => Promise<Factors>;
}

/** Part of a routed adapter's update: with its quarantine, without it, or the difference of the two. */
export type AdapterPart = 'trained' | 'deployed' | 'quarantine';

/** Reads updates module by module, so that the host holds one Linear's at a time. */
export function updatesOf(given: TrainedAdapter, part: AdapterPart): (module: AdapterModule) => Promise<ModuleUpdate> {
  const { layout, adapter, trained, deployed, factors } = given;
  const params = part === 'trained' ? trained : part === 'deployed' ? deployed : trained.map((x, i) => x - deployed[i]);
  const own = ({ offset, r }: AdapterModule, of = params) => of.subarray(offset, offset + r);
  if (adapter === 'full') return async (module) => (isZero(own(module)) ? null : { whole: own(module) });
  if (adapter === 'svd')
    return async (module) => {
      if (isZero(own(module))) return null;
      if (!factors) throw new ShapeError(`singular vectors of ${module.name} are missing`, 'Factor the model first.');
      return directions(module, own(module), await factors(module));
    };
  const frozen = adapter === 'blocks' ? frozenBlocks(layout) : null;
  const product = (module: AdapterModule, of: Float32Array) =>
    frozen ? blockFactors(module, of, frozen) : loraFactors(module, of);
  // The product is not linear in its factors, so unless the quarantine has factors of its own, its update is a difference of two products.
  const isApart = frozen !== null && fitsQuarantineMask(layout, params);
  if (part !== 'quarantine' || isApart) return async (module) => product(module, params);
  return async (module) =>
    isZero(own(module)) ? null : stacked(module, [product(module, trained), negated(product(module, deployed))]);
}

const isZero = (values: Float32Array): boolean => values.every((x) => x === 0);

function fitsQuarantineMask(layout: AdapterLayout, quarantine: Float32Array): boolean {
  const mask = quarantineMask(layout);
  return quarantine.every((x, i) => x === 0 || mask[i] === 1);
}

function directions({ r, dOut, dIn }: AdapterModule, deltaS: Float32Array, { U, Vh }: Factors): LowRank {
  const moved = [...deltaS.keys()].filter((i) => deltaS[i] !== 0);
  moved.sort((i, j) => Math.abs(deltaS[j]) - Math.abs(deltaS[i]) || i - j);
  const rank = moved.length;
  const [a, b] = [new Float64Array(rank * dIn), new Float64Array(dOut * rank)];
  moved.forEach((i, k) => {
    const root = Math.sqrt(Math.abs(deltaS[i]));
    const signed = Math.sign(deltaS[i]) * root;
    for (let j = 0; j < dIn; j++) a[k * dIn + j] = root * Vh[i * dIn + j];
    for (let o = 0; o < dOut; o++) b[o * rank + k] = signed * U[o * r + i];
  });
  return { r: rank, a, b, sigma: moved.map((i) => Math.abs(deltaS[i])) };
}

function loraFactors(module: AdapterModule, params: Float32Array): LowRank | null {
  const { rank, ...parts } = loraParts(module);
  const [a, b] = [params.slice(...parts.a), params.slice(...parts.b)];
  return isZero(a) || isZero(b) ? null : { r: rank, a, b, sigma: null };
}

/** [B | ΔB] [ΔA; A0], of twice the rank: equals B A − B0 A0 without cancellation. */
function blockFactors(module: AdapterModule, params: Float32Array, frozen: Float32Array): LowRank | null {
  const { rank, ...parts } = loraParts(module);
  const [da, db] = [params.slice(...parts.a), params.slice(...parts.b)];
  if (isZero(da) && isZero(db)) return null;
  const [a0, b0] = [frozen.slice(...parts.a), frozen.slice(...parts.b)];
  const one = (a: Float32Array, b: Float32Array): LowRank => ({ r: rank, a, b, sigma: null });
  const moved = stacked(module, [
    one(
      da,
      b0.map((x, i) => x + db[i]),
    ),
    one(a0, db),
  ]);
  return moved && withoutZeroTerms(module, moved);
}

const negated = (update: LowRank | null): LowRank | null =>
  update && { r: update.r, a: update.a, b: update.b.map((x) => -x) as Floats, sigma: null };

/** Writes a sum of products as one product: the A's stacked by rows, the B's by columns. */
export function stacked(
  { dOut, dIn }: Pick<AdapterModule, 'dOut' | 'dIn'>,
  terms: readonly (LowRank | null)[],
): LowRank | null {
  const some = terms.filter((term) => term !== null);
  if (some.length <= 1) return some[0] ?? null;
  const r = some.reduce((sum, term) => sum + term.r, 0);
  const [a, b] = [new Float64Array(r * dIn), new Float64Array(dOut * r)];
  let at = 0;
  for (const term of some) {
    a.set(term.a, at * dIn);
    for (let o = 0; o < dOut; o++) b.set(term.b.subarray(o * term.r, (o + 1) * term.r), o * r + at);
    at += term.r;
  }
  return { r, a, b, sigma: null };
}

/** Drops the pairs of A's row and B's column of which either is zero, so that a block that is off adds none. */
function withoutZeroTerms({ dOut, dIn }: AdapterModule, { r, a, b }: LowRank): LowRank | null {
  const acts = (k: number) => {
    const row = a.subarray(k * dIn, (k + 1) * dIn).some((x) => x !== 0);
    return row && Array.from({ length: dOut }, (_, o) => b[o * r + k]).some((x) => x !== 0);
  };
  const kept = Array.from({ length: r }, (_, k) => k).filter(acts);
  if (kept.length === 0) return null;
  return taken({ dOut, dIn }, { r, a, b, sigma: null }, kept);
}

/** Selects rows of A and columns of B, in this order. */
export function taken(
  { dOut, dIn }: Pick<AdapterModule, 'dOut' | 'dIn'>,
  { r, a, b, sigma }: LowRank,
  kept: readonly number[],
): LowRank {
  const rank = kept.length;
  const [ownA, ownB] = [new Float64Array(rank * dIn), new Float64Array(dOut * rank)];
  kept.forEach((k, at) => {
    ownA.set(a.subarray(k * dIn, (k + 1) * dIn), at * dIn);
    for (let o = 0; o < dOut; o++) ownB[o * rank + at] = b[o * r + k];
  });
  return { r: rank, a: ownA, b: ownB, sigma: sigma && kept.map((k) => sigma[k]) };
}
