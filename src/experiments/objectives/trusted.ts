// The trusted half of a step: groups of trusted prompts, sampled beside the mixture's, and the gradient that a method makes of both
// (methods/). A step's records and rates are of the mixture; trusted groups contribute only their gradient.
import { randomLike } from '../../algorithms/trusted/rules.ts';
import { plus } from '../../algorithms/vectors.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Running, StepGradients } from '../methods/method.ts';
import type { LabEvent } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { type Advantages, advantagesOf, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import { type JudgedGroups, paidRollouts } from './gating.ts';
import type { StepPorts } from './types.ts';

/** Tasks drawn after the step's own prompts; none unless the method reads a trusted gradient. */
export function trustedTasks<Task, State, Verdict>(
  { trusted }: Pick<TrainingEnvironment<Task, State, Verdict>, 'trusted'>,
  { trustedPrompts: count, seed }: RunSpec,
  step: number,
  method: Running | null,
): readonly Task[] {
  if (!trusted || !method?.readsTrusted?.(step)) return [];
  return trusted.sampler.draw({ seed, step, count, history: { rewards: () => [], returns: () => [] } });
}

export const NO_GROUPS: JudgedGroups<never, never> = { groups: [], judged: [] };

type Ports<Task, State, Verdict> = Pick<
  StepPorts<Task, State, Verdict>,
  'spec' | 'step' | 'policy' | 'signal' | 'method' | 'environment'
>;

/** The step's own groups, with their advantages. */
interface Mixture<Task, Verdict> extends JudgedGroups<Task, Verdict> {
  advantages: Advantages;
}

/** The mixture's gradient, joined with the trusted one by the run's method; unchanged without one. `trusted`: judged groups of trusted prompts. */
export async function* combinedGradient<Task, State, Verdict>(
  ports: Ports<Task, State, Verdict>,
  adapterParams: Float32Array,
  untrusted: StepGradient | null,
  mixture: Mixture<Task, Verdict>,
  trusted: JudgedGroups<Task, Verdict>,
): AsyncGenerator<LabEvent, StepGradient | null> {
  const { spec, step, policy, method } = ports;
  if (!method?.combine) return untrusted;
  const { modules, total } = policy.adapterLayout;
  const zero = () => new Float32Array(total);
  const own = await trustedGradient(ports, adapterParams, trusted);
  if (!untrusted && !own) return null;
  const g = untrusted ? plus(untrusted.student, untrusted.teacher) : zero();
  const direction = own ?? zero();
  const read = own && spec.trustedGate === 'random' ? randomLike(own, modules, { seed: spec.seed, step }) : direction;
  const each = (use: Parameters<StepGradients['each']>[0]) => eachOf(ports, adapterParams, mixture, use);
  const joined = await method.combine({ step, untrusted: g, trusted: direction, direction: read, modules, each });
  const none: StepGradient = { student: zero(), teacher: zero(), loss: 0, kl: null, entropy: null };
  return { ...(untrusted ?? none), combined: joined.gradient, ...(joined.row ? { joined: joined.row } : {}) };
}

/** Implements StepGradients.each. */
async function eachOf<Task, State, Verdict>(
  ports: Ports<Task, State, Verdict>,
  adapterParams: Float32Array,
  { groups, judged, advantages }: Mixture<Task, Verdict>,
  use: Parameters<StepGradients['each']>[0],
): Promise<void> {
  const { spec, step, policy, signal, method } = ports;
  const acting = { spec, policy, signal, reference: method?.reference?.(step) };
  const pulls = spec.klBeta > 0 || spec.entropyCoef > 0;
  for (const [g, group] of paidRollouts(ports, { groups, judged }).entries())
    for (const [i, rollout] of group.entries()) {
      if (!advantages.counted[g][i] || (advantages.values[g][i] === 0 && !pulls)) continue;
      const counted = advantages.counted.map((of, other) => of.map((_, j) => other === g && j === i));
      const scored = await scoreStep(acting, adapterParams, groups, { ...advantages, counted });
      if (!scored) continue;
      try {
        const { student, teacher } = await backwardStep(scored, spec);
        use(plus(student, teacher), rollout);
      } finally {
        scored.batch.free();
      }
    }
}

/** Gradient of plain GRPO on the trusted groups; null where all are flat. It is on policy at every inner epoch, since only its direction is used. */
async function trustedGradient<Task, State, Verdict>(
  { spec, policy, signal }: Ports<Task, State, Verdict>,
  adapterParams: Float32Array,
  { groups, judged }: JudgedGroups<Task, Verdict>,
): Promise<Float32Array | null> {
  const plain = { ...spec, klBeta: 0, entropyCoef: 0 };
  const advantages = advantagesOf(
    judged.map((group) => group.map(({ reward }) => reward)),
    plain,
  );
  // Log-probabilities recorded at sampling belong to the first epoch's parameters, so they are not used.
  const acting = { spec: plain, policy, signal, isOnPolicy: true };
  const scored = await scoreStep(acting, adapterParams, groups, advantages);
  if (!scored) return null;
  try {
    return (await backwardStep(scored, plain)).student;
  } finally {
    scored.batch.free();
  }
}
