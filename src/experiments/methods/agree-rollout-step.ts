// A step of agreement by rollout: sums the gradients of the mixture's rollouts that agree with the trusted gradient.
import { permutedAmongEqualRewards } from '../../algorithms/trusted/rules.ts';
import { addInto, dot } from '../../algorithms/vectors.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import type { Combined, PaidRollout, Prepared, StepGradients } from './method.ts';
import type { TwoGradientsRun } from './two-gradients.ts';

export interface AgreeRolloutRun extends TwoGradientsRun {
  lossType: string;
  innerEpochs: number;
  mix: number;
  trustedGate: string;
  seed: number;
}

export const prepareAgreement =
  (run: AgreeRolloutRun): Prepared =>
  () => ({
    readsTrusted: () => true,
    combine: (gradients) => (run.trustedGate === 'random' ? byChance(gradients, run.seed) : byAgreement(gradients)),
  });

/** g_t + Σ g_i over the rollouts with ⟨g_i, g_t⟩ > 0. */
async function byAgreement({ trusted, each }: StepGradients): Promise<Combined> {
  const gradient = trusted.slice();
  const seen: Seen[] = [];
  await each((own, { isHack }) => {
    const agrees = dot(own, trusted) > 0;
    seen.push({ agrees, isHack });
    if (agrees) addInto(gradient, own);
  });
  return { gradient, row: rowOf(seen) };
}

/** The placebo: as many rollouts of each reward as agree. Gradients are computed twice, so that a step need not hold all of them. */
async function byChance({ step, trusted, each }: StepGradients, seed: number): Promise<Combined> {
  const seen: (Seen & Pick<PaidRollout, 'reward'>)[] = [];
  await each((own, { isHack, reward }) => seen.push({ agrees: dot(own, trusted) > 0, isHack, reward }));
  const dealt = permutedAmongEqualRewards(
    seen.map(({ agrees }) => agrees),
    seen.map(({ reward }) => reward),
    CounterRng.of(seed, STREAMS.gate, step),
  );
  const gradient = trusted.slice();
  let next = 0;
  await each((own) => {
    if (dealt[next++]) addInto(gradient, own);
  });
  return { gradient, row: rowOf(seen.map((of, i) => ({ ...of, agrees: dealt[i] }))) };
}

interface Seen {
  agrees: boolean;
  isHack: boolean;
}

/** Shares that are left out, of all rollouts with a gradient and of the hacks among them. */
function rowOf(seen: readonly Seen[]): Combined['row'] {
  const left = ({ agrees }: Seen) => Number(!agrees);
  return { gated: mean(seen.map(left)), gateRecall: mean(seen.filter(({ isHack }) => isHack).map(left)) };
}
