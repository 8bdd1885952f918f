// The glossary of settings that say what the hack basis is and how it is used: extraction, controls, gate, overshoot (a part of
// glossary-settings.ts).
import type { GlossaryEntry } from './glossary.ts';

export const BASIS_CONCEPTS = {
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
    notShown: 'That the contrast is the exploit. Length, style and correctness may differ too; the control sets tell.',
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
    meaning: 'The labelled pairs, a control made from them or from nothing, or an imported file.',
    formula:
      'random: orthonormal rows of V’s shape. random_matched: as many as remove as much as V does. permuted: all labels pooled and permuted. flipped: hack and clean exchanged',
    range: 'pairs, random, random_matched, permuted, flipped, file; control arms bring their own',
    nullValue:
      'random and random_matched: if V does not beat them, the effect is regularisation or steering. permuted is no null: half of its pairs are still hack against clean',
    notShown: 'What a file’s pairs were: only its ranks, orthonormality and model are checked.',
  },
  gate: {
    title: 'Gate',
    meaning: 'Which part of the component along V is removed.',
    formula: 'one_sided: relu(c). no_gate: c. reverse: 2c, with c = V g',
    range: 'one_sided, no_gate, reverse',
    nullValue: 'No gate closes on noise: one_sided takes half of every random component too.',
    notShown:
      'That it is harmless: a one-sided gate collects gross motion, so deployment may move anti-hack; the no_gate shadow is the check.',
  },
  overshoot: {
    title: 'Overshoot',
    meaning: 'How many times the hack-ward component is taken away.',
    formula: 'removed = overshoot · c_use V',
    range: '0 … 10',
    nullValue: '0 removes nothing, 1 removes it exactly.',
    notShown: 'Forgetting of what is learnt: above 1 the step points away from the hack, which is steering.',
  },
  preserveMagnitude: {
    title: 'Preserve magnitude',
    meaning: 'What is kept is stretched to the length that the gradient had.',
    formula: 'kept ← kept · ‖g‖ / ‖kept‖',
    range: 'yes, no; refused with route and with the target update',
    nullValue: 'no.',
    notShown: 'Equal learning: AdamW rescales most of a change of length away by itself.',
  },
} satisfies Readonly<Record<string, GlossaryEntry>>;
