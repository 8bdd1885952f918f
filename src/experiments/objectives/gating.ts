// What a method's gate is given of a judged step, and the gradient that it makes of it (methods/method.ts).
import type { Judged } from '../../environments/types.ts';
import { mean, sum } from '../../stats/index.ts';
import type { Gating } from '../methods/method.ts';
import { type Advantages, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import type { StepGroup } from '../step/groups.ts';
import { episodeTokens } from '../step/sequences.ts';
import type { StepPorts } from './types.ts';

type GatingPorts<Task, State, Verdict> = Pick<
  StepPorts<Task, State, Verdict>,
  'spec' | 'step' | 'policy' | 'method' | 'signal' | 'environment'
>;

interface Gated {
  row: Gating['row'];
  /** Once. Null where every group is flat. The policy is left with other adapter parameters. */
  gradient(advantages: Advantages): Promise<StepGradient | null>;
}

/** Null where the run has no gate. The policy is left with other adapter parameters. */
export async function gateStep<Task, State, Verdict>(
  { spec, step, policy, method, signal, environment }: GatingPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
): Promise<Gated | null> {
  if (!method?.gate) return null;
  const rollouts = groups.map(({ prompt, rollouts }, g) =>
    rollouts.map(({ turns }, sample) => ({
      ...{ prompt, sample, tokens: episodeTokens(turns) },
      isHack: environment.isHack?.(judged[g][sample].verdict) ?? false,
    })),
  );
  const gating = await method.gate({ step, adapterParams, policy, signal, rollouts });
  return {
    row: gating.row,
    async gradient(advantages) {
      const made = await gating.gradient({
        counted: advantages.counted,
        async scored({ adapterParams, counts, segmentOf = () => 0 }, use) {
          const counted = groups.map(({ rollouts }, g) => rollouts.map((_, i) => counts(g, i)));
          const some = { ...advantages, counted };
          const scored = await scoreStep({ spec, policy, signal }, adapterParams, groups, some, null, segmentOf);
          if (!scored) return null;
          try {
            return await use(() => backwardStep(scored, spec));
          } finally {
            scored.batch.free();
          }
        },
      });
      return made && gradientOf(made);
    },
  };
}

function gradientOf({ combined, passes }: NonNullable<Awaited<ReturnType<Gating['gradient']>>>): StepGradient {
  return {
    student: combined,
    teacher: new Float32Array(combined.length),
    loss: sum(passes.map(({ loss }) => loss)),
    kl: null,
    entropy: mean(passes.flatMap(({ entropy }) => entropy ?? [])),
  };
}
