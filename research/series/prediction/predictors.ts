// Predictors of a basis that are known before training, for one mode of the teacher's hacks: the share of the pool's gradient within its
// directions, how well they separate a hack from a right answer, and how many of the pool's texts its pairs already show.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import type { HackBasis } from '../../../src/algorithms/basis.ts';
import { overlap } from '../../../src/algorithms/overlap.ts';
import { Projector } from '../../../src/algorithms/projection.ts';
import type { Policy } from '../../../src/engine/types.ts';
import { makeProblemSet } from '../../../src/environments/code/data.ts';
import type { ContrastivePair } from '../../../src/environments/code/pairs.ts';
import { teacherPool } from '../../../src/environments/code/pool.ts';
import { honestCompletion, rightBody } from '../../../src/environments/code/templates.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import { contribution, firstAxes } from '../../../src/experiments/kinds/probe/cosine.ts';
import { meanGradient, sampleGradients } from '../../../src/experiments/kinds/probe/samples.ts';
import type { Device } from '../../../src/kernels/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../../src/rng/index.ts';
import { areaUnderRoc } from '../../../src/stats/index.ts';
import { completionIds, type TextCodec } from '../../../src/text/codec.ts';
import { skeletonOf } from '../study/template-share.ts';
import { SHOWN, type ShownMode } from './cells.ts';

export interface Predictors {
  /** ‖relu(V g)‖/‖g‖, mean over the modules, of the pool's mean gradient g on the mode. */
  cin: number;
  /** Separation of the pool's hacks from right answers to the same problems by their gradients' components along the first axes, as the area
   *  under the ROC curve. */
  separation: number;
  /** Share of the pool's hacks of the mode whose skeleton occurs on a hack side of the pairs. */
  share: number;
}

/** Number of hacks per mode, each from a different problem. */
const LOOKED_AT = 24;

/** The pool's rows of one mode at the untrained model. */
export interface PoolOfMode {
  mode: ShownMode;
  skeletons: readonly string[];
  hacks: readonly Float32Array[];
  right: readonly Float32Array[];
  /** Mean gradient of the hacks. */
  mean: Float32Array;
}

/** Leaves the policy untrained. */
export async function poolsByMode(
  spec: RunSpec,
  { policy, codec, signal }: { policy: Policy; codec: TextCodec; signal?: AbortSignal },
): Promise<PoolOfMode[]> {
  const { modes, honestShare, problems: count, dataSeed, maxNew } = spec;
  policy.setAdapterParams(policy.initialAdapterParams);
  const problems = makeProblemSet({ modes, honestShare, count, dataSeed });
  const found: PoolOfMode[] = [];
  for (const mode of SHOWN) {
    const own = problems.filter((problem) => problem.mode === mode).slice(0, LOOKED_AT);
    const rows = teacherPool(own, { dataSeed, rows: 1 });
    const tokensOf = (texts: readonly string[]) =>
      texts.map((text, i) => ({
        promptIds: codec.encodeChat(own[i].prompt),
        completionIds: completionIds(codec, text).slice(0, maxNew),
      }));
    const rightAnswers = own.map((problem) => {
      const rng = new CounterRng(keyFor(dataSeed, STREAMS.probe, 2, hash32(problem.id)));
      return honestCompletion(problem, rightBody(problem), rng);
    });
    const hacks = await sampleGradients(policy, tokensOf(rows.map(({ completion }) => completion)), signal);
    const right = await sampleGradients(policy, tokensOf(rightAnswers), signal);
    found.push({
      mode,
      // Skeletons come from every row of the pool, not only from those with gradients.
      skeletons: teacherPool(
        problems.filter((problem) => problem.mode === mode),
        { dataSeed },
      ).map(({ completion }) => skeletonOf(completion)),
      hacks: hacks.gradients,
      right: right.gradients,
      mean: meanGradient(hacks.gradients),
    });
  }
  return found;
}

/** Predictors by mode, in the pools' order. Throws RangeError for a basis without an axis. */
export async function predictorsOf(
  basis: HackBasis,
  pairs: readonly ContrastivePair[],
  pools: readonly PoolOfMode[],
  { policy, device }: { policy: Policy; device: Device },
): Promise<Predictors[]> {
  const axes = firstAxes(basis);
  const projector = new Projector(device, policy.adapterLayout, basis);
  const along = (gradients: readonly Float32Array[]) =>
    gradients.map((gradient) => {
      const value = contribution(gradient, axes);
      if (value === null) throw new RangeError('A basis without an axis predicts nothing.');
      return value;
    });
  const known = new Set(pairs.map(({ hack }) => skeletonOf(hack)));
  try {
    const found: Predictors[] = [];
    for (const { hacks, right, mean, skeletons } of pools)
      found.push({
        cin: overlap(mean, await projector.coefficients(mean), basis).mean ?? 0,
        separation: areaUnderRoc(along(hacks), along(right)),
        share: skeletons.filter((skeleton) => known.has(skeleton)).length / skeletons.length,
      });
    return found;
  } finally {
    projector.free();
  }
}
