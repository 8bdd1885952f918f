// Options of methods that need no label on any hack: repaired graders, or a few honest problems whose graders are known to be correct.
import { ARGUMENT_KINDS } from '../../../environments/code/types.ts';
import { choice, choices, type DisabledBecause, integer, number, type OptionGroup } from '../../../lib/option.ts';
import { RULES } from '../../methods/index.ts';
import { isTrustedBasis } from '../../methods/trusted-basis.ts';

/** Ways to use the trusted problems. */
const TRUSTED_USES = ['none', 'only', 'only_paced', ...RULES] as const;

const withTrusted: DisabledBecause = (of) =>
  of('trusted') === 'none' && !isTrustedBasis({ basisSource: of('basisSource') })
    ? 'only where trusted problems are used'
    : null;
const withRule: DisabledBecause = (of) =>
  ['none', 'only', 'only_paced'].includes(of('trusted')) ? 'only with a rule for a step' : null;
const withWeights: DisabledBecause = (of) => (of('trusted') === 'tdga' ? null : 'only with trusted tdga');

export const TRUSTED = {
  heading: 'Baselines',
  role: 'intervention',
  needs: 'loopholes',
  options: {
    graders: choice(['flawed', 'repaired'], {
      default: 'flawed',
      label: 'Graders in training',
      help: 'Whether training is graded with the flaws or without them.',
      helpMore:
        'repaired: the same problems and prompts, graded by the visible tests under the strict oracle. Evaluations keep the flaws.',
      glossary: 'repaired',
    }),
    trusted: choice(TRUSTED_USES, {
      default: 'none',
      label: 'Trusted problems',
      help: 'Honest problems whose graders are known to be right, and their use.',
      helpMore:
        'only: trained on alone, full steps. only_paced: alone, as often as the whole set meets them. The others are rules for a step: most join their gradient with the mixture’s; tdga, curriculum and verifier act otherwise.',
      glossary: 'trusted',
    }),
    trustedShare: number(0, 1, {
      default: 0.1,
      label: 'Trusted share',
      help: 'Share of honest problems that are trusted; at least one problem.',
      glossary: 'trusted',
      disabledBecause: withTrusted,
    }),
    trustedArguments: choices(ARGUMENT_KINDS, {
      default: [],
      label: 'Trusted argument types',
      help: 'Argument types of trusted problems; none marked: any.',
      helpMore: 'With some marked, the trusted problems are not a representative sample.',
      glossary: 'trusted',
      disabledBecause: withTrusted,
    }),
    trustedPrompts: integer(1, 64, {
      default: 4,
      label: 'Trusted prompts a step',
      help: 'Trusted problems that each step samples beside the others.',
      helpMore: 'Their gradient is the trusted one.',
      glossary: 'trusted',
      disabledBecause: (of, arm) =>
        of('trusted') === 'tdga' ? 'tdga samples no trusted prompts' : (withRule(of, arm) ?? null),
    }),
    trustedWarmup: integer(1, 1000, {
      default: 10,
      label: 'Warm-up steps',
      help: 'Steps of next-token loss on trusted solutions, before tdga.',
      helpMore: 'They give the directions that tdga keeps.',
      glossary: 'trusted',
      disabledBecause: withWeights,
    }),
    trustedTop: integer(1, 4096, {
      default: 16,
      label: 'Directions kept (tdga)',
      help: 'Output directions of the warm-up that tdga keeps of each weight.',
      glossary: 'trusted',
      disabledBecause: withWeights,
    }),
    alsoEvaluate: choices(['interpolation', 'early_stop', 'merge', 'merge_controls', 'relearn', 'quarantine'], {
      default: [],
      label: 'Simple baselines',
      help: 'Models made of the finished run, evaluated too.',
      helpMore:
        'Interpolated between base and trained; stopped early by the trusted problems; merged with vanilla where signs agree, and the controls of that; trained for 20 more steps of plain RL, to see what is relearnt; of a routed run the quarantine alone.',
      glossary: 'corners',
      role: 'logging',
    }),
    trustedGate: choice(['trusted', 'random'], {
      default: 'trusted',
      label: 'Trusted gradient',
      help: 'The trusted gradient, or a random one as a placebo.',
      helpMore:
        'random: a random direction with the trusted gradient’s norm in every module; for verifier its probabilities permuted, for agree_rollout as many rollouts by chance, for tdga its weights on other directions.',
      glossary: 'trusted',
      disabledBecause: withRule,
    }),
  },
  concepts: {
    repaired: {
      title: 'Repaired graders',
      meaning: 'The 100% line: the same mixture, steps and prompts with every grader correct.',
      formula: 'passed = the visible tests pass under the strict oracle, whatever the prompt says; no teacher',
      range: 'flawed, repaired',
      nullValue: 'flawed: the environment as it is.',
      notShown:
        'A method: anyone who can repair every grader needs none. Its hack rate is measured under the flawed graders.',
    },
    corners: {
      title: 'Simple baselines',
      meaning:
        'What a method has to beat: models made of a finished run without any further training. And what plain RL makes of the deployed model afterwards.',
      formula:
        'base + α (trained − base), α = ⅛ … ⅞; the step that solved the trusted problems best; trusted-only and vanilla averaged where signs agree, with vanilla’s signs random, scaled to that norm, or averaged everywhere; what is deployed after twenty steps of plain RL (relearn); base + δ_hack, what is not deployed (quarantine)',
      range: 'interpolation, early_stop, merge, merge_controls, relearn, quarantine',
      nullValue: 'none: they are not evaluated.',
      notShown:
        'Their cost is evaluations, and of relearn twenty steps; early_stop chooses on problems that training may have seen.',
    },
    trusted: {
      title: 'Trusted problems',
      meaning:
        'A few honest problems whose graders somebody has checked. No hack is labelled, and no hackable problem is known to be one.',
      formula:
        'trustedShare of the honest problems, keyed by the data seed. A rule makes one gradient of the mixture’s g_u and theirs, g_t. agem: g_u − ⟨g_u, g_t⟩ / ⟨g_t, g_t⟩ g_t where they conflict. pcgrad: both, each without its conflict with the other. agree_element, agree_module: g_t, and g_u where signs or modules agree. agree_rollout: g_t + Σ g_i over the rollouts with ⟨g_i, g_t⟩ > 0. added: g_t + g_u. tdga: w ⊙ g_u, with w = |δ| / max |δ| of a warm-up on their solutions',
      range: 'none; alone (only, only_paced); a rule for a step',
      nullValue: 'none: nothing is known. trustedGate random is a rule’s placebo.',
      notShown: 'That trusted problems are few in kind: in an environment of few families, a handful covers it.',
    },
  },
} satisfies OptionGroup;
