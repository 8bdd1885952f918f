// GRPO on an adapter of two blocks with a soft router (algorithms/router.ts): each rollout has its own forward, in which the quarantine's
// output is scaled by the rollout's weight w. Its gradient counts by 1 − w for the deployed block and by w for the quarantine. The router
// learns from the loss's gradient in w, and from the pin loss on the pairs at this step's deployed model.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdamSettings } from '../../algorithms/adamw.ts';
import { withoutQuarantine } from '../../algorithms/gates.ts';
import { pinLoss, type RouterState, routerStep, routerWeight, throughWeights } from '../../algorithms/router.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import { slopeOfScale } from '../../engine/adapters/blocks.ts';
import { mean } from '../../stats/index.ts';
import type { Gating, JudgedStep, Pass, Prepared, Preparing, Scoring } from './method.ts';
import { type Router, routerOf } from './router-seed.ts';

export interface RouterRun extends AdamSettings {
  routerSeed: string;
  pinWeight: number;
  routerLr: number;
  seed: number;
}

export async function prepareRouter({ run, policy, codec, signal, pairs }: Preparing<RouterRun>): Promise<Prepared> {
  return withRouter(run, await routerOf(policy, codec, await pairs(), run, signal));
}

/** `seeded`: the initial router; a checkpoint replaces its state. */
export const withRouter =
  (run: RouterRun, seeded: Router): Prepared =>
  (kept) => {
    const router = kept ? resumed(seeded, kept) : { ...seeded };
    return { gate: (step) => gateStep(step, run, router), keep: () => ({ router: router.state }) };
  };

function resumed(seeded: Router, { runId, router }: { runId: string; router?: RouterState }): Router {
  if (router?.params.length === seeded.state.params.length) return { ...seeded, state: router };
  throw new SpecError(`the checkpoint of ${runId} has no router of this model`, 'Start it as a new run.');
}

async function gateStep(step: JudgedStep, run: RouterRun, router: Router): Promise<Gating> {
  const { rollouts, adapterParams, policy, signal } = step;
  const written = rollouts.flat().flatMap(({ tokens }) => (tokens ? [tokens] : []));
  policy.setAdapterParams(withoutQuarantine(adapterParams, quarantineMask(policy.adapterLayout)));
  const pairs = await policy.activations(router.pairs, router.layer, signal);
  const read = await policy.activations(written, router.layer, signal);
  let next = 0;
  /** [group][rollout]; null where the model wrote no token. */
  const activations = rollouts.map((group) => group.map(({ tokens }) => (tokens ? read[next++] : null)));
  const weights = activations.map((group) => group.map((h) => (h ? routerWeight(router.state.params, h) : 0)));
  const sides = { hack: pairs.filter((_, i) => i % 2 === 0), clean: pairs.filter((_, i) => i % 2 === 1) };
  const pin = pinLoss(router.state.params, sides.hack, sides.clean);
  const hacks = weights.flatMap((group, g) => group.filter((_, i) => rollouts[g][i].isHack));
  return {
    row: { gated: mean(weights.flat()), gateRecall: mean(hacks), pinLoss: pin.loss },
    async gradient(scoring) {
      const { gradient, slopes } = await routedGradient(step, scoring, weights);
      const routed = slopes.flatMap(({ g, i, slope }) => {
        const h = activations[g][i];
        return h ? [{ h, slope }] : [];
      });
      // Once per step, because runs on two blocks have one inner epoch.
      const loss = throughWeights(router.state.params, routed);
      const all = loss.map((x, i) => x + run.pinWeight * pin.gradient[i]);
      router.state = routerStep(router.state, all, run.routerLr, run);
      return gradient;
    },
  };
}

interface RoutedGradient {
  /** Null where every group is flat. */
  gradient: Awaited<ReturnType<Gating['gradient']>>;
  /** ∂L/∂w of every rollout that was scored. */
  slopes: { g: number; i: number; slope: number }[];
}

async function routedGradient(
  { rollouts, adapterParams, policy }: JudgedStep,
  { counted, scored }: Scoring,
  weights: readonly (readonly number[])[],
): Promise<RoutedGradient> {
  const layout = policy.adapterLayout;
  const mask = quarantineMask(layout);
  const combined = new Float32Array(layout.total);
  const slopes: RoutedGradient['slopes'] = [];
  const passes: Pass[] = [];
  for (const [g, group] of rollouts.entries())
    for (const i of group.keys()) {
      if (!counted[g][i]) continue;
      const w = weights[g][i];
      policy.setAdapterParams(adapterParams, { quarantine: w });
      await scored({ adapterParams, counts: (other, j) => other === g && j === i }, async (backward) => {
        const pass = await backward();
        policy.setAdapterParams(adapterParams, { quarantine: w, atStart: true });
        const start = await backward();
        slopes.push({ g, i, slope: slopeOfScale(layout, adapterParams, pass.student, start.student) });
        for (let at = 0; at < combined.length; at++)
          combined[at] += (mask[at] ? w : 1 - w) * (pass.student[at] + pass.teacher[at]);
        passes.push(pass);
      });
    }
  return { gradient: passes.length === 0 ? null : { combined, passes }, slopes };
}
