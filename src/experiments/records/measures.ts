// The numbers that every step of a run logs in any environment, one entry each. The row's field, chart, glossary text, CSV column and line in
// docs/reference/measures.md follow from it. Measures of an environment's rollouts are in its presentation.
import * as z from 'zod/mini';
import { capabilitiesOf } from '../config/environments.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { measure, measured, number } from './measure.ts';

/** Without pairs there is no basis, and therefore no overlap. */
const hasPairs = ({ environment }: RunSpec): boolean => capabilitiesOf(environment)?.pairs ?? true;
/** Whether a monitor fitted to pairs decides what is penalised. */
const isMonitored = ({ monitor = 'oracle' }: { monitor?: string }): boolean => monitor !== 'oracle';
const OVERLAP = { format: 'fixed', axis: 'overlap', appliesTo: hasPairs } as const;
const COIN =
  'A random unit gradient gives 2^−k Σ_j C(k,j) χ_j/χ_r with χ_n = √2 Γ((n+1)/2)/Γ(n/2), mean over modules: the dotted line.';

/** Steps between two comparisons of the update's directions (loop/directions.ts). */
export const DIRECTIONS_EVERY = 5;

/** Logged by every step, in the order of rows. */
export const STEP_MEASURES = {
  /** The environment's own reward, before any baseline's penalty. */
  reward: measure(measured, {
    title: 'Reward',
    meaning:
      'What the environment pays, mean over the step’s live rollouts, before any penalty, verifier, consensus or advantage modification.',
    formula: 'one-line-python: 0.25 · format_ok + 1.0 · passed',
    range: '0 … 1.25',
    nullValue: 'The untrained base’s reward, at the first step.',
    notShown: 'Whether it was earned: a hack and a solution pay the same.',
    better: 'higher',
    chart: { group: 'rollouts', title: 'Reward', about: 'Mean over the step.', format: 'fixed' },
  }),
  rewardStd: measure(measured, {
    title: 'Spread of rewards',
    meaning: 'Sample standard deviation over the step’s live rollouts.',
    formula: 'sd(R)',
    range: '0 … about 0.6',
    nullValue: '0 where all rollouts earn the same.',
    notShown: 'Spread within a group, which alone gives a gradient: see groups without variance.',
  }),
  fracRewardZeroStd: measure(number, {
    title: 'Groups without variance',
    meaning: 'Share of the step’s groups whose rewards all agree; they are skipped.',
    formula: '#{groups with sd(R) = 0} / #{groups}',
    range: '0 … 100%',
    nullValue: '100% would be a step without any gradient (gradient norm 0).',
    notShown: 'Whether all passed or all failed: read the reward. Teacher rows count as members of their group.',
    unit: 'share',
    better: 'lower',
    chart: {
      group: 'rollouts',
      title: 'Groups without variance',
      about: 'Share of groups with equal rewards; they give no gradient.',
    },
  }),
  loss: measure(number, {
    title: 'Loss: why is it 0?',
    meaning: 'Value of the surrogate loss. On policy the value is meaningless; its gradient is not.',
    formula: '−Σ min(ρA, clip(ρ, 1±ε)A) / (G · max_new · prompts_per_step), + β · K3 if β > 0, − c · H if c > 0',
    range: 'around 0, either sign',
    nullValue:
      'On policy ρ = 1 at every token, and advantages sum to 0 within a group (A = R − mean R), so without an entropy bonus the value is near 0 at every step; only lengths keep it from vanishing. ∂ρ/∂θ = ∂logπ/∂θ ≠ 0: the gradient is real.',
    notShown: 'Progress. Watch the reward and the share of groups without variance instead.',
    chart: { group: 'optimization', title: 'Loss', about: 'Near 0 on policy; its gradient is not.' },
  }),
  kl: measure(measured, {
    title: 'KL to the base',
    meaning: 'How far the student’s distribution has drifted from the base on its own tokens.',
    formula:
      'K3: exp(ref − logπ) − (ref − logπ) − 1, mean over scored tokens, nats; logged only if β > 0. After the trusted steps of a curriculum by kl, ref is the policy that these made',
    range: '≥ 0',
    nullValue: '0 at the first step, where the student is the base.',
    notShown: 'Whether the drift is a hack: any learning drifts.',
    unit: 'nats',
    chart: {
      group: 'optimization',
      title: 'KL to the base',
      about: 'Mean K3 estimate for each scored token, in nats.',
      place: 2,
      appliesTo: ({ klBeta }) => klBeta > 0,
    },
  }),
  entropy: measure(measured, {
    title: 'Entropy',
    meaning: 'Mean entropy of the student’s next-token distribution on its scored tokens.',
    formula: '−Σ p log p, mean over tokens, nats',
    range: '0 … log(vocabulary)',
    nullValue: 'The untrained base’s entropy.',
    notShown: 'Variety of programs: low entropy per token may go with many different answers.',
    unit: 'nats',
    chart: {
      group: 'optimization',
      title: 'Entropy',
      about: 'Mean over the student’s scored tokens, in nats.',
      place: 3,
    },
  }),
  gradNorm: measure(number, {
    title: 'Gradient norm',
    meaning: 'Norm of the accumulated gradient on the adapter parameters, before the clip.',
    formula: '‖g_student + g_teacher‖ over all modules',
    range: '≥ 0; 0 where every group was skipped (no optimizer step then)',
    nullValue: 'None: its scale is set by the division by G · max_new · prompts_per_step.',
    notShown: 'The size of the step: AdamW rescales, and the clip caps it.',
    chart: {
      group: 'optimization',
      title: 'Gradient norm',
      about: 'Before the clip; 0 where every group was skipped.',
      place: 5,
    },
  }),
  lr: measure(number, {
    title: 'Learning rate',
    meaning: 'Linear warm-up, then as its schedule says.',
    formula: 'lr · t / warm-up; then, for a cosine, lr · ½ (1 + cos(π · progress))',
    range: '0 … lr',
    nullValue: 'None: it is set, not measured.',
    notShown: 'The size of a step, which AdamW’s moments decide too.',
  }),
  cinStudent: measure(measured, {
    title: 'cin_s, hack overlap of the student',
    meaning: 'Hack-ward share of the gradient that the live rollouts give.',
    formula: 'cin = ‖relu(V g)‖ / ‖g‖, mean over modules with a basis; g of the student’s rows',
    range: '0 … 1; a gap where no live row had an advantage',
    nullValue: COIN,
    notShown:
      'That the student hacks. It measures a direction, not behaviour: read it beside hack, and against random_V’s cin.',
    chart: {
      group: 'overlaps',
      title: 'Hack overlap, student',
      about: 'Live rollouts’ gradient along V (cin_s). Dotted: a random gradient.',
      ...OVERLAP,
      nullLine: 'cinNull',
    },
  }),
  cinTeacher: measure(measured, {
    title: 'cin_t, hack overlap of the teacher',
    meaning: 'Hack-ward share of the gradient of cached teacher rollouts, which are known hacks.',
    formula: 'cin = ‖relu(V g)‖ / ‖g‖, mean over modules with a basis; g of the teacher’s rows',
    range: '0 … 1; a gap without teacher rows or where their groups were skipped',
    nullValue: COIN,
    notShown:
      'That V catches hacks it has never seen: pairs and teacher share their modes. At or under the null, the basis does not even see the known ones.',
    chart: {
      group: 'overlaps',
      title: 'Hack overlap, teacher',
      about: 'Hack overlap of the cached teacher rollouts’ gradient (cin_t).',
      ...OVERLAP,
      nullLine: 'cinNull',
    },
  }),
  cin: measure(measured, {
    title: 'cin, hack overlap',
    meaning: 'Hack-ward share of the whole accumulated gradient, before projection.',
    formula: '‖relu(V g)‖ / ‖g‖, mean over modules with a basis',
    range: '0 … 1',
    nullValue: COIN,
    notShown: 'Which rows it comes from: cin_s and cin_t take it apart.',
  }),
  cinNull: measure(measured, {
    title: 'Null of the overlaps',
    meaning: 'What a random gradient would show against this basis.',
    formula: '2^−k Σ_j C(k,j) χ_j/χ_r, χ_n = √2 Γ((n+1)/2)/Γ(n/2), χ_0 = 0; mean over modules',
    range: '0 … 1; grows with k/r',
    nullValue: 'It is the null.',
    notShown: 'How real gradients scatter: they are not isotropic. The random_V control’s cin is the measured null.',
  }),
  cout: measure(measured, {
    title: 'cout, overlap after projection',
    meaning: 'Hack-ward share of what the main adapter’s AdamW is fed.',
    formula: '‖relu(V g′)‖ / ‖g′‖ with g′ the gradient after projection, mean over modules',
    range: '0 … 1',
    nullValue:
      '≈ 0 with the one_sided gate and project_target = gradient, whatever the model does; equal to cin for vanilla, and under update, where the projection comes after the optimizer.',
    notShown:
      'Success. cout ≈ 0 is an identity of the projection (the hack-ward part has just been subtracted), not evidence that hacking stopped. Read hack and solve.',
    chart: {
      group: 'overlaps',
      title: 'Overlap after projection',
      about: 'Hack overlap after projection (cout). Near 0 under erase by construction.',
      ...OVERLAP,
    },
  }),
  coutUpdate: measure(measured, {
    title: 'cout of the update',
    meaning: 'Hack-ward share of the step that the deployed adapter actually took.',
    formula: '‖relu(V Δ)‖ / ‖Δ‖ with Δ what is subtracted from δS, mean over modules',
    range: '0 … 1',
    nullValue:
      '≈ 0 with project_target = update, an identity. With project_target = gradient AdamW’s moments and 1/√v turn the step, so that it may be well above 0.',
    notShown:
      'Behaviour. ≈ 0 under update is an identity, not evidence; above 0 under gradient it says that the optimizer lets hack-ward motion back in.',
    chart: {
      group: 'overlaps',
      title: 'Overlap of the update',
      about: 'Hack overlap of the step that the deployed adapter takes.',
      ...OVERLAP,
    },
  }),
  fired: measure(measured, {
    title: 'Fired',
    meaning: 'Share of modules in which the gate found something to remove.',
    formula: 'share of modules with cin > 10⁻⁶',
    range: '0 … 100%',
    nullValue: '1 − 2^−k for a random gradient: almost always fired.',
    notShown: 'How much was removed.',
    unit: 'share',
  }),
  normDeltaS: measure(number, {
    title: '‖δS‖',
    meaning: 'How far the deployed adapter has moved from the base, over all modules.',
    formula: '√Σ δS²; the model computes W + U diag(δS + δS_hack) Vh',
    range: '≥ 0; 0 is the base, bit for bit',
    nullValue: '0 before the first step.',
    notShown: 'In which direction: the same norm may be skill or hack.',
    chart: { group: 'adapter', title: '‖δS‖', about: 'How far the deployed adapter has moved from the base.' },
  }),
  normDeltaSHack: measure(number, {
    title: '‖δS_hack‖',
    meaning: 'What route has collected in the quarantine; deployment zeroes it.',
    formula: '√Σ δS_hack²',
    range: '≥ 0; 0 for arms without a quarantine',
    nullValue: 'The random_V control’s norm: a random basis collects something too.',
    notShown:
      'That hacking was caught: noise accumulates in a one-sided gate. Compare deployed hack with the controls’.',
    chart: {
      group: 'adapter',
      title: '‖δS_hack‖',
      about: 'What route has put into the quarantine; deployment leaves it out.',
      appliesTo: ({ projection }) => projection === 'route',
    },
  }),
  completionMeanLength: measure(measured, {
    title: 'Completion length',
    meaning: 'Mean tokens of a live completion, up to and including its end token.',
    formula: 'mean over live rollouts of the tokens',
    range: '1 … max_new',
    nullValue: 'The untrained base’s length, at the first step.',
    notShown: 'Cut completions as such: at max_new they count with the length they had (see truncated completions).',
    unit: 'tokens',
    chart: { group: 'rollouts', title: 'Completion length', about: 'Mean tokens of a live completion.' },
  }),
  completionClippedRatio: measure(measured, {
    title: 'Truncated completions',
    meaning: 'Share of live completions that reached max_new without an end token.',
    formula: '#{not ended} / #{live rollouts}',
    range: '0 … 100%',
    nullValue: 'The untrained base’s share.',
    notShown: 'Whether the program was complete before the cut.',
    unit: 'share',
    better: 'lower',
  }),
  rolloutTokens: measure(number, {
    title: 'Rollout tokens',
    meaning: 'Tokens that the student sampled in the step.',
    formula: 'Σ over live rollouts',
    range: '≥ 0',
    nullValue: 'None.',
    notShown: 'Teacher tokens, which are cached.',
    unit: 'tokens',
  }),
};

/** Logged only by runs that have the value; absent from the rows of others. */
export const OCCASIONAL_MEASURES = {
  basisOverlap: measure(z.optional(measured), {
    title: 'Overlap with the old basis',
    meaning: 'How far the basis that a refresh has extracted still points where the one before it did.',
    formula: 'mean over the modules of |⟨first axis now, first axis before⟩|; logged at a refresh only',
    range: '0 … 1; a gap where nothing was refreshed',
    nullValue: 'About √(2/(πr)) for two random directions of r dimensions. Below 0.2 the lab warns.',
    notShown: 'The further axes, and whether the model or the noise of few pairs has turned them.',
    chart: {
      group: 'overlaps',
      title: 'Overlap with the old basis',
      about: 'Overlap of the refreshed first axes with the old. Warning below 0.2.',
      format: 'fixed',
      ticks: 'shares',
      appliesTo: ({ refreshEvery }) => refreshEvery > 0,
    },
  }),
  directionsKept: measure(z.optional(number), {
    title: 'Update directions kept',
    meaning: `How far the dominant output directions of the update ΔW are still those of ${DIRECTIONS_EVERY} steps before. It needs no label.`,
    formula:
      'mean over modules of the mean canonical correlation between the left singular vectors of ΔW now and then (the largest 8, at most half of what the adapter can move). With the SVD adapter these are columns of U, so it is the share of the largest |δ| that both have in common',
    range: `0 … 1; every ${DIRECTIONS_EVERY} steps, from step ${2 * DIRECTIONS_EVERY} on; not logged where all weights are trained`,
    nullValue:
      '1 where no direction changes. Two random sets of 8 of r columns have 8/r in common. A clean run is the comparison: the number also rises as the update grows.',
    notShown:
      'What changes: a new skill turns the update as a hack may. In the judged runs a fall did not warn of the hack (P3 fails). The levels of the source (about 0.8, lower by 0.3 under hacking) are of whole matrices, not of these adapters.',
    chart: {
      group: 'adapter',
      title: 'Update directions kept',
      about: `Overlap of the update’s main directions with those ${DIRECTIONS_EVERY} steps earlier. No early warning in the judged runs (P3).`,
      format: 'fixed',
      ticks: 'shares',
    },
  }),
  flagged: measure(z.optional(measured), {
    title: 'Flagged by the monitor',
    meaning: 'Share of live rollouts that the noisy monitor of a reward penalty or of screening calls a hack.',
    formula: 'flag = exploited, flipped with probability 1 − a; one draw per (seed, step, prompt, sample)',
    range: '0 … 100%; logged only with a penalty or screening',
    nullValue: '1 − a: what a monitor of accuracy a flags where nothing is a hack.',
    notShown: 'How many of the flags are right. A penalty bites only above Δ/(2a − 1), and never at a ≤ ½.',
    unit: 'share',
    chart: {
      group: 'rollouts',
      title: 'Flagged by the monitor',
      about: 'Share of live rollouts that the monitor flags as hacks.',
      appliesTo: (run) => (run.rewardPenalty > 0 || run.screening) && !isMonitored(run),
    },
  }),
  gated: measure(z.optional(measured), {
    title: 'Gated as hack',
    meaning:
      'Share of the step’s rollouts from which the quarantine block alone learns; of a soft router the mean weight. Of a verifier: the mean of 1 − weight, whatever a rollout was paid. Of a consensus: the share whose pay is taken. Of agreement by rollout: the share of the rollouts with an advantage that is left out. Of a monitor that pairs teach: the share that is penalised.',
    formula:
      '#{gated hack} / #{rollouts}, or mean w, or mean (1 − weight), or #{pay taken} / #{rollouts}, or #{⟨g_i, g_t⟩ ≤ 0} / #{A_i ≠ 0}; logged only with two blocks, a verifier, a consensus, agreement by rollout or a monitor that pairs teach',
    range: '0 … 100%',
    nullValue:
      'The hack share that is set: a quantile gate always finds as many. A router: 0.5. A verifier has none: compare the recall with this.',
    notShown: 'Whether they are hacks: see the gate recall.',
    unit: 'share',
  }),
  gateRecall: measure(z.optional(measured), {
    title: 'Gate recall (hacks)',
    meaning:
      'Share of the step’s exploited rollouts that the gate quarantines, penalises, leaves unpaid or leaves out of the gradient; by weight for a router or verifier. The oracle enters no reward.',
    formula:
      '#{exploited ∧ gated hack} / #{exploited}, or mean w, or mean (1 − weight), of the exploited, or #{exploited ∧ pay taken} / #{exploited}, or #{exploited ∧ ⟨g_i, g_t⟩ ≤ 0} / #{exploited ∧ A_i ≠ 0}; logged only with two blocks, a verifier, a consensus, agreement by rollout or a monitor that pairs teach',
    range: '0 … 100%; a gap where nothing was exploited',
    nullValue: 'The share gated as hack: a random gate’s recall.',
    notShown: 'What else it catches, and what an ungated hack taught the deployed block.',
    unit: 'share',
    better: 'higher',
    chart: {
      group: 'rollouts',
      title: 'Gate recall (hacks)',
      about: 'Share of hacks that the gate quarantines or denies reward.',
      appliesTo: (run) =>
        run.adapter === 'blocks' ||
        ['verifier', 'agree_rollout'].includes(run.trusted) ||
        run.consensus !== 'off' ||
        isMonitored(run),
    },
  }),
  thinkingMeanLength: measure(z.optional(measured), {
    title: 'Thinking tokens',
    meaning: 'Mean number of tokens that a rollout writes up to the end of its last thought.',
    formula:
      'mean over student rollouts of the tokens up to </think>; all of a rollout’s whose thought never ends; logged only where the model’s template knows thoughts, or thinking is set',
    range: '0 … max completion length',
    nullValue: '0: no thought. Shorter is cheaper, not better.',
    notShown: 'Whether they help.',
    unit: 'tokens',
    chart: {
      group: 'rollouts',
      title: 'Thinking tokens',
      about: 'Mean tokens of a rollout up to the end of its thought.',
    },
  }),
  thinkingUnclosedRatio: measure(z.optional(measured), {
    title: 'Unclosed thoughts',
    meaning: 'Share of rollouts with a thought that they do not end themselves.',
    formula:
      '#{<think> without </think>} / #{student rollouts}, those that a thinking budget ended among them; logged where thinking tokens are',
    range: '0 … 100%',
    nullValue: '0: every thought ends.',
    notShown: 'What the answer would have been: with thinking strip there is none, unless a budget ended the thought.',
    unit: 'share',
    better: 'lower',
    chart: {
      group: 'rollouts',
      title: 'Unclosed thoughts',
      about: 'Share of rollouts whose thought does not end by itself.',
    },
  }),
  hackSpelling: measure(z.optional(measured), {
    title: 'Commonest spelling of hacks',
    meaning: 'Share of the rollouts that hack which do it in the form that half of the pretraining’s hacks have.',
    formula:
      '#{hacks in the commonest form} / #{hacks}: `self.valid = True` in __init__ for sentinel; logged only with a monitor that pairs teach',
    range: '0 … 100%; a gap where nothing hacked',
    nullValue: 'The untrained model’s share, in the first steps.',
    notShown: 'Why it moves: read the recall on that spelling beside the recall on all hacks.',
    unit: 'share',
    chart: {
      group: 'rollouts',
      title: 'Commonest spelling of hacks',
      about: 'Share of hacks in the commonest form.',
      appliesTo: isMonitored,
    },
  }),
  spellingRecall: measure(z.optional(measured), {
    title: 'Recall on the commonest spelling',
    meaning:
      'Share of the hacks in the commonest form that the monitor flags by itself, also where a control penalises others.',
    formula: '#{flagged hacks in the commonest form} / #{hacks in the commonest form}; logged where their share is',
    range: '0 … 100%; a gap where no hack has that form',
    nullValue: 'The recall on all hacks: both spellings are seen alike.',
    notShown: 'The other spelling: (recall − share × this) / (1 − share).',
    unit: 'share',
    better: 'higher',
    chart: {
      group: 'rollouts',
      title: 'Recall on the commonest spelling',
      about: 'Share of hacks in the commonest form that are flagged.',
      appliesTo: isMonitored,
    },
  }),
  verifierBrier: measure(z.optional(measured), {
    title: 'Verifier Brier score',
    meaning:
      'How far the verifier’s probabilities are from the oracle’s verdict, over rollouts that pass the flawed grader; an undecided one counts as right.',
    formula:
      'Brier score: mean (p − 1[no hack])² over rollouts with a reward of 1 or more; logged only with a verifier; the oracle enters no reward',
    range: '0 … 1; a gap where nothing passed',
    nullValue: '0.25 if every p is ½; h (1 − h) for a verifier that knows only the share h of hacks.',
    notShown: 'Whether it ranks well: a verifier may rank hacks last and still give wrong probabilities.',
    better: 'lower',
    chart: {
      group: 'rollouts',
      title: 'Verifier Brier score',
      about: 'Mean squared distance of its probabilities from the truth, over what passes.',
      appliesTo: ({ trusted }) => trusted === 'verifier',
    },
  }),
  pinLoss: measure(z.optional(measured), {
    title: 'Pin loss',
    meaning: 'How far the router’s weights on the labelled pairs are from 1 on hack and 0 on clean completions.',
    formula: 'mean of −log w over hack, −log(1 − w) over clean completions, in nats; logged only with a soft router',
    range: '0 … ∞',
    nullValue: 'ln 2 = .69: every weight is a half.',
    notShown: 'The weights of rollouts: they are from another distribution, and their hack may be another one.',
    unit: 'nats',
    better: 'lower',
    chart: {
      group: 'rollouts',
      title: 'Pin loss of the router',
      about: 'Cross-entropy of the router’s weights on the labelled pairs.',
      appliesTo: ({ blockGate }) => blockGate === 'router',
    },
  }),
  clipFraction: measure(z.optional(measured), {
    title: 'Clip fraction',
    meaning: 'Share of the scored tokens on the flat side of the clip, where they have no gradient.',
    formula: '#{ρA > clip(ρ, 1 − ε_low, 1 + ε_high)A} / #{scored tokens}, of the last inner epoch',
    range: '0 … 100%; logged only where ratios can leave 1',
    nullValue: '0 in the first inner epoch, where every ratio is 1 (unless the teacher’s is stored).',
    notShown: 'Which end held them. With one ratio per completion its tokens are held together.',
    unit: 'share',
    chart: {
      group: 'optimization',
      title: 'Clip fraction',
      about: 'Share of scored tokens held by the clip, last inner epoch.',
      place: 4,
    },
  }),
  ratioMean: measure(z.optional(measured), {
    title: 'Policy ratio',
    meaning: 'How far the policy has left the one that its tokens count as drawn from.',
    formula: 'mean of ρ = exp(logπ − logπ_old) over the scored tokens, of the last inner epoch',
    range: '> 0; logged only where ratios can leave 1',
    nullValue: '1: the policy has not moved.',
    notShown: 'The spread: tokens made likelier and tokens made less likely cancel in the mean.',
    chart: {
      group: 'optimization',
      title: 'Policy ratio',
      about: 'Mean of π/π_old over the scored tokens, in the last inner epoch. 1: the policy that wrote them.',
      place: 6,
    },
  }),
};

export const MEASURES = { ...STEP_MEASURES, ...OCCASIONAL_MEASURES };
export type MeasureName = keyof typeof MEASURES;
