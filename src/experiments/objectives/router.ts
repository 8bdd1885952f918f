// GRPO on an adapter of two blocks with a soft router (algorithms/router.ts): each rollout is a forward of its own, in which the quarantine's
// output is scaled by the rollout's weight. Its gradient counts by 1 − w for the deployed block and by w for the quarantine, and what
// the loss says of w teaches the router, beside the pin loss on the pairs of this step's deployed model.
import { withoutQuarantine } from '../../algorithms/gates.ts';
import { pinLoss, routerStep, routerWeight, throughWeights } from '../../algorithms/router.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import { slopeOfScale } from '../../engine/adapters/blocks.ts';
import type { Judged } from '../../environments/types.ts';
import { mean } from '../../stats/index.ts';
import { type Advantages, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import type { StepGroup } from '../step/groups.ts';
import { episodeTokens } from '../step/sequences.ts';
import type { BlockGating, GatingPorts } from './blocks.ts';
import type { Router } from './types.ts';

/** The policy is left with other adapter parameters. */
export async function gateStep<Task, State, Verdict>(
  ports: GatingPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
): Promise<BlockGating> {
  const { policy, router, signal, environment } = ports;
  if (!router) throw new Error('a run with a router has none');
  const episodes = groups.flatMap(({ rollouts }) => rollouts.map(({ turns }) => episodeTokens(turns)));
  const written = episodes.filter((episode) => episode !== null);
  policy.setAdapterParams(withoutQuarantine(adapterParams, quarantineMask(policy.adapterLayout)));
  const pairs = await policy.activations(router.pairs, router.layer, signal);
  const read = await policy.activations(written, router.layer, signal);
  let next = 0;
  /** [group][rollout]; null where nothing was written. */
  const activations = groups.map(({ rollouts }) =>
    rollouts.map(() => {
      const index = next++;
      return episodes[index] ? read[written.indexOf(episodes[index])] : null;
    }),
  );
  const weights = activations.map((group) => group.map((h) => (h ? routerWeight(router.state.params, h) : 0)));
  const sides = { hack: pairs.filter((_, i) => i % 2 === 0), clean: pairs.filter((_, i) => i % 2 === 1) };
  const pin = pinLoss(router.state.params, sides.hack, sides.clean);
  const hacks = weights.flatMap((group, g) =>
    group.filter((_, i) => environment.isHack?.(judged[g][i].verdict) ?? false),
  );
  return {
    row: { gated: mean(weights.flat()), gateRecall: mean(hacks), pinLoss: pin.loss },
    async gradient(advantages) {
      const { gradient, slopes } = await routedGradient(ports, adapterParams, groups, advantages, weights);
      const rollouts = slopes.flatMap(({ g, i, slope }) => {
        const h = activations[g][i];
        return h ? [{ h, slope }] : [];
      });
      learn(router, ports, throughWeights(router.state.params, rollouts), pin.gradient);
      return gradient;
    },
  };
}

/** Once a step: blocks have one inner epoch. */
function learn(
  router: Router,
  { spec }: Pick<GatingPorts<unknown, unknown, unknown>, 'spec'>,
  loss: Float64Array,
  pin: Float64Array,
): void {
  const gradient = loss.map((x, i) => x + spec.pinWeight * pin[i]);
  router.state = routerStep(router.state, gradient, spec.routerLr, spec);
}

interface RoutedGradient {
  /** Null where every group is flat. */
  gradient: StepGradient | null;
  /** ∂L/∂w of every rollout that was scored. */
  slopes: { g: number; i: number; slope: number }[];
}

async function routedGradient<Task, State, Verdict>(
  { spec, policy, signal }: GatingPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  advantages: Advantages,
  weights: readonly (readonly number[])[],
): Promise<RoutedGradient> {
  const layout = policy.adapterLayout;
  const mask = quarantineMask(layout);
  const combined = new Float32Array(layout.total);
  const slopes: RoutedGradient['slopes'] = [];
  const passes: StepGradient[] = [];
  for (const [g, { rollouts }] of groups.entries())
    for (const i of rollouts.keys()) {
      if (!advantages.counted[g][i]) continue;
      const w = weights[g][i];
      const counted = advantages.counted.map((group, other) => group.map((_, j) => other === g && j === i));
      policy.setAdapterParams(adapterParams, { quarantine: w });
      const scored = await scoreStep({ spec, policy, signal }, adapterParams, groups, { ...advantages, counted });
      if (!scored) continue;
      try {
        const pass = await backwardStep(scored, spec);
        policy.setAdapterParams(adapterParams, { quarantine: w, atStart: true });
        const start = await backwardStep(scored, spec);
        slopes.push({ g, i, slope: slopeOfScale(layout, adapterParams, pass.student, start.student) });
        for (let at = 0; at < combined.length; at++)
          combined[at] += (mask[at] ? w : 1 - w) * (pass.student[at] + pass.teacher[at]);
        passes.push(pass);
      } finally {
        scored.batch.free();
      }
    }
  if (passes.length === 0) return { gradient: null, slopes };
  const gradient = {
    student: combined,
    teacher: new Float32Array(combined.length),
    loss: passes.reduce((sum, { loss }) => sum + loss, 0),
    kl: null,
    entropy: mean(passes.flatMap(({ entropy }) => entropy ?? [])),
  };
  return { gradient, slopes };
}
