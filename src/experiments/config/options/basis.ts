// Options of the hack direction: pairs, their gradients, the kept axes, controls, refreshes.
import { MODES } from '../../../environments/code/types.ts';
import { choice, choices, integer, number, type OptionGroup, text } from '../../../lib/option.ts';

const BASIS_SOURCES = [
  'pairs',
  'random',
  'random_matched',
  'permuted',
  'flipped',
  'file',
  'trusted',
  'trusted_random',
] as const;

export const BASIS = {
  heading: 'Hack basis',
  role: 'projection',
  needs: 'pairs',
  options: {
    k: integer(1, 4096, {
      default: 5,
      label: 'Axes k',
      help: 'Directions kept per module, strongest first.',
      glossary: 'axes',
    }),
    pairs: integer(2, 4096, {
      default: 24,
      label: 'Labelled pairs',
      help: 'Pairs of a hack and a clean answer; they give the basis.',
      glossary: 'pairs',
    }),
    dropBottomFrac: number(0, 0.99, {
      default: 0.25,
      label: 'Noise floor',
      unit: 'share of the axes',
      help: 'The weakest axes of all modules together are dropped.',
      glossary: 'noiseFloor',
    }),
    tauAxis: number(0, 1, {
      default: 0,
      label: 'Axis threshold τ',
      help: 'Axes weaker than τ times the module’s strongest are zeroed.',
      glossary: 'tau',
    }),
    nHeldout: integer(0, 4096, {
      default: 0,
      label: 'Held-out pairs',
      help: 'Pairs at the end of the list that are kept for validation.',
      glossary: 'pairs',
    }),
    pairSet: text({
      default: 'prog_wide',
      label: 'Pair set',
      help: 'Which labelled pairs: a built-in set or your own.',
      glossary: 'pairs',
    }),
    pairModes: choices(MODES, {
      default: [],
      label: 'Pair modes',
      help: 'Loophole modes whose pairs make the basis. None marked: all.',
      glossary: 'heldOut',
    }),
    basisLoss: choice(['nll', 'grpo'], {
      default: 'nll',
      label: 'Gradient of a pair',
      help: 'Which loss gives the gradient of a pair’s completions.',
      helpMore:
        'nll: mean over each completion’s tokens. grpo: advantages ±1 under Dr.GRPO; longer completions weigh more.',
      glossary: 'pairGradient',
    }),
    basisKind: choice(['svd', 'mean_diff'], {
      default: 'svd',
      label: 'Axes from',
      help: 'How axes are made of the differences between hack and clean.',
      helpMore: 'svd: the top singular vectors of the differences. mean_diff: their mean, one axis.',
      glossary: 'axes',
    }),
    solveOrth: integer(0, 4096, {
      default: 0,
      label: 'Solve axes stripped',
      help: 'Axes of solving that are taken out of the differences first.',
      helpMore: 'The top axes of the clean completions’ gradients. 0: none.',
      glossary: 'solveOrth',
    }),
    refreshEvery: integer(0, 100_000, {
      default: 0,
      label: 'Refresh every',
      unit: 'steps',
      help: 'How often the basis is extracted again during training. 0: never.',
      helpMore: 'On the current model, its quarantine left out.',
      glossary: 'refresh',
    }),
    basisSource: choice(BASIS_SOURCES, {
      default: 'pairs',
      label: 'Basis from',
      help: 'Labelled pairs, a control, an imported file, or trusted problems.',
      helpMore:
        'Controls: random directions (as many, or enough to remove as much), permuted labels, flipped labels. trusted: what lies in the span of trusted problems’ gradients is kept, all else removed; trusted_random: random directions in their place.',
      glossary: 'basisSource',
    }),
    basisFile: text({
      default: '',
      label: 'Basis file',
      help: 'Id of the imported basis.',
      glossary: 'basisSource',
      disabledBecause: (of) => (of('basisSource') === 'file' ? null : 'only with “Basis from: file”'),
    }),
  },
  concepts: {
    axes: {
      title: 'Axes of V',
      meaning: 'The directions in each module’s gradient that count as hack-ward, strongest first.',
      formula:
        'svd: top k right singular vectors of D [pairs, r] = hack − clean gradients, each turned so that most pairs project positively. mean_diff: the mean of D, one axis',
      range: 'k from 1 to as many as there are pairs',
      nullValue: 'The overlap of a random gradient grows with k/r: that is the null line of cin.',
      notShown: 'That more axes catch more hacks: they also take more of everything else.',
    },
    pairs: {
      title: 'Labelled pairs',
      meaning: 'A hack and a clean completion of one prompt; the basis is extracted from their gradients.',
      formula:
        'D holds, for each pair, gradient of hack minus gradient of clean; the last “held-out” ones are kept for validation',
      range: 'Built-in sets, or your own (2 … 4096 pairs)',
      nullValue: 'nonhack, clean_vs_clean, no_tests and placebo: sets that show no exploit.',
      notShown:
        'That the contrast is the exploit. Length, style and correctness may differ too; the control sets tell.',
    },
    pairGradient: {
      title: 'Gradient of a pair',
      meaning: 'Which loss of a pair’s completions is differentiated.',
      formula: 'nll: mean negative log-likelihood per token of each. grpo: advantages +1 and −1 under Dr.GRPO',
      range: 'nll, grpo',
      nullValue: 'nll; both agree where the completions are equally long.',
      notShown: 'Which is nearer to training: grpo lets longer completions weigh more, as training does.',
    },
    noiseFloor: {
      title: 'Noise floor',
      meaning: 'The weakest axes of all modules together are dropped when a run loads the basis.',
      formula: 'rows with a singular value below this quantile of all modules’ are dropped',
      range: '0 … 0.99',
      nullValue: '0 keeps every axis.',
      notShown: 'That a strong axis is a hack: it is only consistent over the pairs.',
    },
    tau: {
      title: 'Axis threshold τ',
      meaning: 'Axes that are weak beside their own module’s strongest are zeroed at extraction.',
      formula: 'axis i is zeroed where S_i / S_0 < τ',
      range: '0 … 1',
      nullValue: '0 zeroes none.',
      notShown: 'Strength across modules: that is the noise floor’s.',
    },
    solveOrth: {
      title: 'Solve axes stripped',
      meaning: 'Directions of the clean completions are taken out first, so that V does not fight solving.',
      formula: 'the top m right singular vectors of the clean gradients are projected out of D',
      range: '0 … as many as there are pairs',
      nullValue: '0 strips none.',
      notShown: 'That solving is safe: only the clean sides of these pairs are spared.',
    },
    refresh: {
      title: 'Refresh of the basis',
      meaning: 'The basis is extracted again on the model as it is by then, without its quarantine.',
      formula: 'every N steps V ← extraction at base + δS; the overlap with the old V is logged',
      range: '0 … 100 000 steps',
      nullValue: '0: V stays the one of the untrained model.',
      notShown: 'That it helps: the runs of the reference showed no trend with how often.',
    },
    basisSource: {
      title: 'Where V comes from',
      meaning: 'The labelled pairs, a control made from them or from nothing, an imported file, or trusted problems.',
      formula:
        'random: orthonormal rows of V’s shape. random_matched: as many as remove as much as V does. permuted: all labels pooled and permuted. flipped: hack and clean exchanged. trusted: top k right singular vectors of the gradients of trusted problems’ solutions; deployed = base + Σ VᵀV Δ',
      range:
        'pairs, random, random_matched, permuted, flipped, file, trusted, trusted_random; control arms bring their own',
      nullValue:
        'random and random_matched: if V does not beat them, the effect is regularisation or steering. permuted is no null: half of its pairs are still hack against clean',
      notShown: 'What a file’s pairs were: only its ranks, orthonormality and model are checked.',
    },
  },
} satisfies OptionGroup;
