// The curriculum under a drift limit: the first steps train on the trusted problems alone, later ones on the mixture within a ball around θ_T,
// the policy after the trusted steps. Its radius is a multiple of the distance that the trusted steps moved,
//   ‖θ − θ_T‖ ≤ driftLimit · ‖θ_T − θ_0‖,
// in adapter parameters; a step beyond it is projected to the surface (projected gradient descent). Alternatively the loss's KL term pulls
// towards θ_T. The mixture is rolled out and graded in every step, so that all rows are on the same problems. The checkpoint holds θ_T.
import * as z from 'zod/mini';
import { choice, type DisabledBecause, number, type OptionGroup } from '../../lib/option.ts';
import { OURS } from './arms.ts';
import type { CurriculumRun } from './curriculum-step.ts';
import type { Method } from './method.ts';
import { trustedArm, trustedPlacebo } from './two-gradients.ts';

/** A curriculum has at least one trusted step. */
const trustedSteps = ({ curriculumShare, steps }: CurriculumRun): number =>
  Math.max(1, Math.round(curriculumShare * steps));

/** Most characters of a stored θ_T that reading accepts: 24 million parameters. */
const MAX_POLICY = 128_000_000;

/** A quarter of the steps costs 1.5 times as much. */
const FACTS = { cost: 1.1 } as const;

const only: DisabledBecause = (of) => (of('trusted') === 'curriculum' ? null : 'only with trusted curriculum');

export const CURRICULUM = {
  family: 'data',
  rule: 'curriculum',
  arms: {
    curriculum: trustedArm(
      'curriculum',
      'curriculum, drift limit',
      'Trusted problems first; then the mixture, within a distance of what they taught.',
      'route',
      OURS,
      FACTS,
    ),
    curriculum_random: trustedPlacebo(
      'curriculum',
      'curriculum, random',
      'Control: the first steps go along random directions of equal norm.',
      'control',
      OURS,
      'curriculum',
      FACTS,
    ),
  },
  options: {
    heading: 'Baselines',
    role: 'intervention',
    needs: 'loopholes',
    options: {
      curriculumShare: number(0, 1, {
        default: 0.25,
        label: 'Trusted steps',
        help: 'Share of the steps that learn from trusted problems alone.',
        glossary: 'curriculum',
        disabledBecause: only,
      }),
      driftLimit: number(0, 1000, {
        default: 1,
        label: 'Drift limit',
        help: 'How far the mixture may move the policy from the trusted one.',
        helpMore: 'A multiple of the distance that the trusted steps moved it from the base.',
        glossary: 'curriculum',
        disabledBecause: (of, arm) =>
          only(of, arm) ?? (of('driftBy') === 'kl' ? 'by KL the weight β limits the drift' : null),
      }),
      driftBy: choice(['parameters', 'kl'], {
        default: 'parameters',
        label: 'Drift limited by',
        help: 'A ball around the trusted policy, or a KL pull towards it.',
        helpMore: 'kl: the KL weight β applies, with the trusted policy as its reference.',
        glossary: 'curriculum',
        disabledBecause: only,
      }),
    },
    concepts: {
      curriculum: {
        title: 'Curriculum under a drift limit',
        meaning:
          'Trusted problems first, then all problems, within a distance of the policy that the trusted ones made.',
        formula:
          '‖θ − θ_T‖ ≤ driftLimit · ‖θ_T − θ_0‖; θ_T: after the trusted steps, θ_0: untrained. By kl: loss + β · K3, with θ_T as reference',
        range: 'driftLimit from 0 (the trusted policy is kept) up; driftBy parameters, kl',
        nullValue:
          'The placebo’s first steps go along random directions, so that its ball says nothing of trusted problems.',
        notShown: 'That distance in parameters is distance in behaviour: a hack may be near.',
      },
    },
  } satisfies OptionGroup,
  refuses: ({ adapter, projection, driftBy, klBeta }) => {
    if (driftBy === 'kl' && klBeta === 0)
      return { what: 'driftBy = kl and klBeta = 0: nothing limits the drift', remedy: 'Set klBeta above 0.' };
    return adapter === 'full' || projection !== 'none'
      ? {
          what: `trusted = curriculum with adapter = ${adapter} and projection ${projection}: its limit is on an adapter that is deployed whole`,
          remedy: 'Choose the arm curriculum, and the adapter svd or lora.',
        }
      : null;
  },
  times: (run) => {
    const times = 1 + (trustedSteps(run) / run.steps) * (run.trustedPrompts / run.promptsPerStep);
    return { sampling: times, scoring: times };
  },
  stored: { curriculum: z.string().check(z.regex(/^[\w-]+$/), z.maxLength(MAX_POLICY)) },
  prepare: async (ports) => (await import('./curriculum-step.ts')).prepareCurriculum(ports, trustedSteps(ports.run)),
} as const satisfies Method<CurriculumRun>;

/** Added later; it keeps that place in every list. It has the KL weight of the arm `kl`; after the trusted steps the two differ only in the
 *  KL term's reference. */
export const CURRICULUM_KL = {
  family: 'data',
  arms: {
    curriculum_kl: {
      ...trustedArm(
        'curriculum',
        'curriculum, KL',
        'Trusted problems first; then the mixture, pulled by KL towards what they taught.',
        'route',
        OURS,
        { cost: 1.1, besides: 'a forward of the trusted policy' },
      ),
      settings: { mix: 0, trusted: 'curriculum', driftBy: 'kl', klBeta: 0.1 },
    },
  },
} as const satisfies Method<CurriculumRun>;
