// The trusted half of a step: the groups of trusted prompts that are sampled beside the mixture's, and the one gradient that a rule makes
// of both (algorithms/trusted/). Records and rates of a step are the mixture's; the trusted groups are there for their gradient alone.
import { dealtAnew, gradientRule, randomLike } from '../../algorithms/trusted/rules.ts';
import { plus } from '../../algorithms/vectors.ts';
import type { Judged } from '../../environments/types.ts';
import type { RunSpec } from '../config/spec.ts';
import type { LabEvent } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { advantagesOf, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import type { StepGroup } from '../step/groups.ts';
import type { StepPorts } from './types.ts';

/** What is drawn after the step's own prompts; none without a rule that reads a trusted gradient. */
export function trustedTasks<Task, State, Verdict>(
  { trusted }: Pick<TrainingEnvironment<Task, State, Verdict>, 'trusted'>,
  { trusted: use, trustedPrompts: count, seed }: RunSpec,
  step: number,
): readonly Task[] {
  if (!trusted || gradientRule(use)?.reads !== 'gradient') return [];
  return trusted.sampler.draw({ seed, step, count, history: { rewards: () => [], returns: () => [] } });
}

interface TrustedGroups<Task, Verdict> {
  groups: readonly StepGroup<Task, Verdict>[];
  judged: readonly (readonly Judged<Verdict>[])[];
}
export const NO_GROUPS: TrustedGroups<never, never> = { groups: [], judged: [] };

type Ports<Task, State, Verdict> = Pick<
  StepPorts<Task, State, Verdict>,
  'spec' | 'step' | 'policy' | 'signal' | 'trustedWeights'
>;

/** The mixture's gradient by the run's rule; as it is where there is none. `trusted`: judged groups of trusted prompts. */
export async function* byRule<Task, State, Verdict>(
  ports: Ports<Task, State, Verdict>,
  adapterParams: Float32Array,
  untrusted: StepGradient | null,
  trusted: TrustedGroups<Task, Verdict>,
): AsyncGenerator<LabEvent, StepGradient | null> {
  const { spec, step, policy, trustedWeights } = ports;
  const rule = gradientRule(spec.trusted);
  if (!rule) return untrusted;
  const { modules, total } = policy.adapterLayout;
  if (rule.reads === 'weights') {
    if (!untrusted || !trustedWeights) return untrusted;
    const weights = spec.trustedGate === 'random' ? dealtAnew(trustedWeights, modules, spec.seed) : trustedWeights;
    const combined = plus(untrusted.student, untrusted.teacher).map((g, i) => weights[i] * g);
    return { ...untrusted, combined };
  }
  const zero = () => new Float32Array(total);
  const own = await trustedGradient(ports, adapterParams, trusted);
  if (!untrusted && !own) return null;
  const g = untrusted ? plus(untrusted.student, untrusted.teacher) : zero();
  const direction = own ?? zero();
  const read = spec.trustedGate === 'random' ? randomLike(direction, modules, { seed: spec.seed, step }) : direction;
  const combined = rule.combine({ untrusted: g, trusted: direction, direction: read, modules });
  const none: StepGradient = { student: zero(), teacher: zero(), loss: 0, kl: null, entropy: null };
  return { ...(untrusted ?? none), combined };
}

/** Of plain GRPO on the trusted groups; null where all of them are flat. On policy at every inner epoch: it is there for its direction. */
async function trustedGradient<Task, State, Verdict>(
  { spec, policy, signal }: Ports<Task, State, Verdict>,
  adapterParams: Float32Array,
  { groups, judged }: TrustedGroups<Task, Verdict>,
): Promise<Float32Array | null> {
  const plain = { ...spec, klBeta: 0 };
  const advantages = advantagesOf(
    judged.map((group) => group.map(({ reward }) => reward)),
    plain,
  );
  const scored = await scoreStep({ spec: plain, policy, signal }, adapterParams, groups, advantages);
  if (!scored) return null;
  try {
    return (await backwardStep(scored, plain)).student;
  } finally {
    scored.batch.free();
  }
}
