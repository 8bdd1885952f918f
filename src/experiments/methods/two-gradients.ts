// A method that joins two gradients in every step: the mixture's, and that of a few trusted prompts sampled beside it.
import type { Rule } from '../../algorithms/trusted/rules.ts';
import { plainArm } from './arms.ts';
import type { ArmFacts, Method, MethodArm, Running } from './method.ts';

/** Four further prompts, for the trusted gradient. */
const WITH_TRUSTED = 1.5;

export interface TwoGradientsRun {
  trustedPrompts: number;
  promptsPerStep: number;
}

/** Trusted prompts are rolled out and scored like the step's own. */
export const withTrustedPrompts = ({ trustedPrompts, promptsPerStep }: TwoGradientsRun) => {
  const times = 1 + trustedPrompts / promptsPerStep;
  return { sampling: times, scoring: times };
};

/** A method that is only a rule on its two gradients. */
export const joined = <const Id extends string>(rule: Id, combine: Rule) => {
  const running: Running = { readsTrusted: () => true, combine: (gradients) => ({ gradient: combine(gradients) }) };
  return {
    family: 'two gradients',
    rule,
    times: withTrustedPrompts,
    prepare: async () => () => running,
  } satisfies Omit<Method<TwoGradientsRun>, 'arms'>;
};

export const trustedArm = <const Use extends string, const More extends Partial<ArmFacts>>(
  use: Use,
  label: string,
  description: string,
  colour: MethodArm['colour'],
  source: string,
  more: More = {} as More,
) => plainArm(label, description, colour, { trusted: use }, { labels: 'trusted', cost: WITH_TRUSTED, source, ...more });

/** The placebo: a random direction in place of the trusted one. */
export const trustedPlacebo = <const Use extends string, const Controls extends string>(
  use: Use,
  label: string,
  description: string,
  colour: MethodArm['colour'],
  source: string,
  controls: Controls,
  more: Partial<ArmFacts> = {},
) =>
  plainArm(
    label,
    description,
    colour,
    { trusted: use, trustedGate: 'random' },
    { labels: 'trusted', cost: WITH_TRUSTED, source, ...more, controls },
  );
