// TDGA: the mixture's gradient, weighted by the directions of a warm-up on trusted solutions (warm-up.ts).
import { permutedWithinModules } from '../../algorithms/trusted/rules.ts';
import type { Method } from './method.ts';
import { trustedArm, trustedPlacebo } from './two-gradients.ts';
import type { WarmUp } from './warm-up.ts';

interface Run extends WarmUp {
  adapter: string;
  trustedGate: string;
  seed: number;
}

const SOURCE = 'Deng et al. 2026';
/** Samples no trusted prompt. */
const FACTS = { cost: 1, besides: 'a warm-up' } as const;

export const TDGA = {
  family: 'subspace',
  rule: 'tdga',
  arms: {
    tdga: trustedArm(
      'tdga',
      'TDGA',
      'Gradients are weighted by the directions of a warm-up on trusted solutions.',
      'erase',
      SOURCE,
      FACTS,
    ),
    tdga_random: trustedPlacebo(
      'tdga',
      'TDGA, random',
      'Control: the same weights on other directions.',
      'control3',
      SOURCE,
      'tdga',
      FACTS,
    ),
  },
  refuses: ({ adapter }) =>
    adapter === 'svd'
      ? null
      : {
          what: `trusted = tdga and adapter = ${adapter}: its projection is a weight for every singular direction`,
          remedy: 'Set adapter to svd.',
        },
  async prepare({ run, policy, signal, solutions }) {
    const { warmedUpWeights } = await import('./warm-up.ts');
    const warmed = await warmedUpWeights(policy, solutions(), run, signal);
    const { modules } = policy.adapterLayout;
    const weights = run.trustedGate === 'random' ? permutedWithinModules(warmed, modules, run.seed) : warmed;
    return () => ({ combine: ({ untrusted }) => ({ gradient: untrusted.map((g, i) => weights[i] * g) }) });
  },
} as const satisfies Method<Run>;
