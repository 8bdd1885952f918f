// The dose curve of one arm on a user's own characters: AdamW on an adapter of the loaded model; every character is measured every few steps, and
// training ends when A has changed enough. Measuring does not affect training.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adamStep, clipScale, jointNorm, zeroMoments } from '../../../algorithms/adamw.ts';
import { learningRate } from '../../../algorithms/schedule.ts';
import { subtractInto } from '../../../algorithms/vectors.ts';
import { mean } from '../../../stats/index.ts';
import { askOwn, type OwnPorts, sequencesOfTexts } from './ask.ts';
import { learnByRl, learnDocuments, type OwnGradient } from './learn.ts';
import type { OwnArm, OwnPoint, OwnRow } from './rows.ts';
import type { OwnSpec } from './spec.ts';

export interface OwnRequest {
  arm: OwnArm;
  seed: number;
  steps: number;
  /** Steps between two doses, and the ΔP of A at which training ends. */
  every: number;
  until: number;
  adapter: OwnRow['adapter'];
  /** Hash of the model's weights, and of everything that decides the row. */
  base: string;
  made: string;
}

const ADAM = { beta1: 0.9, beta2: 0.999, adamEps: 1e-8 };
/** Maximal norm of the gradient. */
const CLIP = 1;

/** Throws SpecError if the file lacks the part that an arm needs. */
export function checkArm(arm: OwnArm, spec: OwnSpec): void {
  const part = arm === 'sdf' ? 'sdf' : 'rl';
  if (!spec[part])
    throw new SpecError(`the arm ${arm} needs ${part} in the spec`, `Add it, or leave ${arm} out of --arms.`);
}

/** Most tokens of a document, or of a drift text, in one sequence. */
export const roomOf = ({ sdf }: OwnSpec, positions: number): number => Math.min(sdf?.maxTokens ?? 256, positions);

/** Yields the row so far after every dose. `documents`: those of the arm sdf. */
export async function* ownCurve(
  ports: OwnPorts,
  spec: OwnSpec,
  documents: readonly string[],
  request: OwnRequest,
  onStep: (step: number) => void = () => {},
): AsyncGenerator<OwnRow> {
  const { policy, codec, signal, breathe } = ports;
  const { arm, seed, steps, every, until, adapter, base, made } = request;
  checkArm(arm, spec);
  const room = roomOf(spec, policy.config.maxPositions);
  const texts = arm === 'sdf' ? sequencesOfTexts(spec, documents, codec, room) : [];
  if (arm === 'sdf' && texts.length === 0)
    throw new SpecError('there are no documents to be taught by', 'Give texts of two tokens at least.');
  const learn = (step: number): Promise<OwnGradient> =>
    arm === 'sdf'
      ? learnDocuments(ports, texts, spec.sdf!.perStep, { seed, step })
      : learnByRl(ports, { ...spec, rl: spec.rl! }, arm === 'rl_random', { seed, step });
  const lr = (arm === 'sdf' ? spec.sdf : spec.rl)!.lr;
  const adapterParams = policy.initialAdapterParams.slice();
  const moments = zeroMoments(adapterParams.length);
  policy.setAdapterParams(adapterParams);
  const curve: OwnPoint[] = [];
  let tokens = 0;
  let since: OwnGradient[] = [];
  for (let step = 0; ; step++) {
    if (step % every === 0 || step === steps) {
      const meanSince = (of: (one: OwnGradient) => number | null) => mean(since.flatMap((one) => of(one) ?? []));
      const training = { reward: meanSince(({ reward }) => reward), loss: meanSince(({ loss }) => loss) };
      curve.push({ step, tokens, ...(await askOwn(ports, spec, room)), ...training });
      since = [];
      const gained = curve[curve.length - 1].target.a!.p - curve[0].target.a!.p;
      const isWhole = step === steps || gained >= until;
      yield {
        schema: 1,
        kind: 'own',
        base,
        made,
        arm,
        adapter,
        seed,
        lr,
        steps,
        target: spec.target,
        a: { name: spec.a },
        members: spec.groups,
        contrast: spec.contrast,
        isWhole,
        curve: [...curve],
      };
      if (isWhole) return;
    }
    const one = await learn(step);
    since.push(one);
    tokens += one.tokens;
    if (one.gradient) {
      const scale = clipScale(jointNorm([one.gradient]), CLIP);
      subtractInto(adapterParams, adamStep(moments, one.gradient, scale, learningRate(step, steps, lr, 0), ADAM));
      policy.setAdapterParams(adapterParams);
    }
    onStep(step + 1);
    await breathe?.();
    signal?.throwIfAborted();
  }
}
