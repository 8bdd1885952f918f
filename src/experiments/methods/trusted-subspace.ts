// The trusted subspace deploys the part of each step in the span of the trusted problems' gradients. It is route (update) with a basis from
// another source (bases/trusted-span.ts), so it needs no hook; its options choose the span.
import { choice, type DisabledBecause, type OptionGroup } from '../../lib/option.ts';
import { OURS, spanArm } from './arms.ts';
import type { Method } from './method.ts';
import { isTrustedBasis } from './trusted-basis.ts';

const FACTS = { labels: 'trusted', cost: 1, besides: 'gradients of the solutions', source: OURS } as const;

const only: DisabledBecause = (of) =>
  isTrustedBasis({ basisSource: of('basisSource') }) ? null : 'only with a basis of trusted problems';

export const TRUSTED_SUBSPACE = {
  family: 'subspace',
  arms: {
    trusted_subspace: spanArm(
      'trusted subspace',
      'Deploys the part of each step in the span of trusted problems’ gradients.',
      'route',
      { basisSource: 'trusted' },
      FACTS,
    ),
    trusted_subspace_random: spanArm(
      'trusted subspace, random',
      'Control: as many random directions in their place.',
      'control',
      { basisSource: 'trusted_random' },
      { labels: 'trusted', cost: 1, source: OURS, controls: 'trusted_subspace' },
    ),
  },
} as const satisfies Method;

/** Other spans, added after the verifier; they keep that place in every list. */
export const TRUSTED_SPANS = {
  family: 'subspace',
  arms: {
    trusted_subspace_all: spanArm(
      'trusted subspace, all modules',
      'One span of all modules together, which share its coefficients.',
      'route',
      { basisSource: 'trusted', spanOf: 'all' },
      FACTS,
    ),
    trusted_subspace_adam: spanArm(
      'trusted subspace, Adam',
      'The span of trusted problems’ gradients as Adam scales them.',
      'route',
      { basisSource: 'trusted', spanMetric: 'adam' },
      FACTS,
    ),
  },
  options: {
    heading: 'Hack basis',
    role: 'projection',
    needs: 'loopholes',
    options: {
      spanOf: choice(['module', 'all'], {
        default: 'module',
        label: 'Span scope',
        help: 'Span of trusted gradients: by module, or of all modules together.',
        helpMore: 'all: the span of whole gradients; a direction has one coefficient, which all modules share.',
        glossary: 'span',
        disabledBecause: only,
      }),
      spanMetric: choice(['plain', 'adam'], {
        default: 'plain',
        label: 'Span metric',
        help: 'Gradients as they are, or scaled as Adam scales a step.',
        helpMore:
          'adam: each gradient is divided by √v̂ + ε first, v̂ being the run’s second moment at a refresh. At the base it is these gradients’ mean square.',
        glossary: 'span',
        disabledBecause: only,
      }),
    },
    concepts: {
      span: {
        title: 'Span of trusted problems',
        meaning:
          'What is kept of a step: one span for each module or one of all modules, of gradients as they are or as Adam scales them.',
        formula:
          'P = VᵀV; module: V the top k right singular vectors of the solutions’ gradients in that module. all: of their gradients as whole vectors. adam: of g / (√v̂ + ε)',
        range: 'module, all; plain, adam',
        nullValue: 'trusted_random: as many random directions of the same kind of span.',
        notShown:
          'That one of them keeps more of the skill: all has one direction for each trusted problem at most, module as many in every module.',
      },
    },
  } satisfies OptionGroup,
} as const satisfies Method;
