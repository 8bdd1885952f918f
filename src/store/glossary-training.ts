// The glossary of settings that say how a run trains: arms and seeds, rollouts, the loss, the teacher, the adapter and its
// optimizer (a part of glossary-settings.ts).
import type { GlossaryEntry } from './glossary.ts';

export const TRAINING_CONCEPTS = {
  arms: {
    title: 'Arms: vanilla, erase, route',
    meaning: 'What is done with the hack-ward part of the gradient; everything else about the runs is the same.',
    formula:
      'c = V g, removed = overshoot · relu(c) V, kept = g − removed. vanilla: δS ← g. erase: δS ← kept. route: δS ← kept, δS_hack ← removed, and deployment leaves δS_hack out',
    range:
      'Target gradient: split before AdamW. Target update: AdamW’s step Δ is split, so that its moments cannot turn it back; under route (update) training is vanilla, byte for byte.',
    nullValue: 'vanilla, and the control random V: a real basis has to beat it.',
    notShown: 'A cause, where two arms differ in more than one setting.',
  },
  seeds: {
    title: 'Seeds',
    meaning: 'Each arm is trained once per seed; differences are taken within a seed.',
    formula: 'Δ = mean over seeds of (arm − vanilla at the same seed)',
    range: 'Whole numbers from 0.',
    nullValue: 'One seed has no sd and no interval; below about six, a bootstrap interval is too narrow.',
    notShown:
      'Other problems: a seed varies their order, the sampling and random bases. The data seed varies the problems.',
  },
  steps: {
    title: 'Steps',
    meaning: 'How often rollouts are sampled, graded and learnt from.',
    formula: 'one step = prompts per step × group size rollouts, then one optimizer step per inner epoch',
    range: '1 … 100 000; the demo shows its effect after about 60',
    nullValue: 'At step 0 the model is the base.',
    notShown: 'That a difference lasts: more steps let hacking find other ways, so compare whole runs as well as ends.',
  },
  promptsPerStep: {
    title: 'Prompts per step',
    meaning: 'How many problems one step samples; each makes one group.',
    formula: 'gradient of the step = mean over its groups (Dr.GRPO divides by G · max_new · prompts per step)',
    range: '1 … 1024, and at most as many as there are problems',
    nullValue: 'None: more prompts mean less noise a step, and more time.',
    notShown: 'How many of them teach something: groups whose rewards all agree are skipped.',
  },
  group: {
    title: 'Group',
    meaning: 'The rollouts of one prompt, teacher rows included; a reward counts relative to its group.',
    formula: 'A_i = R_i − mean(R of the group); G = G_s live + G_t teacher rows',
    range: '2 … 256',
    nullValue: 'A group in which all rewards agree has A = 0 and is skipped.',
    notShown: 'Quality across prompts: an easy and a hard problem weigh the same once their groups disagree.',
  },
  maxNew: {
    title: 'Longest completion',
    meaning: 'A rollout that has not ended after this many tokens is cut off and graded as it is.',
    formula: 'max_new; also the divisor of the Dr.GRPO loss, G · max_new · prompts per step',
    range: '1 … 32 768 tokens',
    nullValue: 'Where every rollout ends by itself it changes the loss’s scale alone.',
    notShown: 'Which rollouts it cut: see the clipped share.',
  },
  temperature: {
    title: 'Sampling temperature',
    meaning: 'Divides the logits when live rollouts are sampled.',
    formula: 'p(token) ∝ exp(logit / T)',
    range: '0.05 … 4; below 1 sharper, above 1 more varied',
    nullValue: '1: the model as it is, and the tokens are on policy.',
    notShown: 'The log-probabilities that the loss uses: those are at temperature 1.',
  },
  lossType: {
    title: 'Loss normalisation',
    meaning: 'What the token losses of a step are divided by; it decides how much a long completion weighs.',
    formula:
      'dr_grpo: G · max_new · prompts per step. grpo: mean over completions of each one’s mean over its tokens. bnpo, dapo: all tokens of the step (the same here, in one process)',
    range: 'dr_grpo, grpo, bnpo, dapo; named as in TRL',
    nullValue: 'dr_grpo, whose divisor is a constant.',
    notShown:
      'The step’s size by itself: AdamW takes most of a constant factor out again; the relative weights remain.',
  },
  advantageScale: {
    title: 'Scale of advantages',
    meaning: 'Whether rewards are divided by their spread after the group’s mean is taken off.',
    formula: 'none: A = R − mean. group: A / (sd of the group + 10⁻⁴). batch: A / (sd of the step’s rewards + 10⁻⁴)',
    range: 'none, group, batch',
    nullValue: 'none (Dr.GRPO).',
    notShown: 'Which groups are skipped: that is decided by disagreement, before any scaling.',
  },
  policyRatio: {
    title: 'Policy ratio: per token or per completion',
    meaning: 'How likely the present policy finds what was sampled, against the policy that it counts as sampled from.',
    formula: 'token: ρ_t = exp(logπ_t − logπ_old,t). sequence (GSPO): one exp(mean over tokens) for the completion',
    range: 'token; or sequence, with loss normalisation grpo only',
    nullValue: 'ρ = 1 in the first inner epoch: both are the same then.',
    notShown: 'Anything on policy: with one inner epoch and a recomputed teacher ratio the two do not differ in value.',
  },
  innerEpochs: {
    title: 'Inner epochs',
    meaning: 'Optimizer steps on the same rollouts.',
    formula: 'logπ_old is the first epoch’s; clip, AdamW, projection and quarantines act in each',
    range: '1 … 64',
    nullValue: '1: on policy, ratios are 1 and the clip never acts.',
    notShown: 'More data: the rollouts are the same, and learning from them again drifts off policy.',
  },
  teacherShare: {
    title: 'Teacher share',
    meaning: 'Part of each hackable group that is filled with cached rollouts of a teacher that hacks.',
    formula: 'G_t = ⌊G · mix + ½⌋ rows of the frozen pool, the rest live',
    range: '0 … 0.99; at least one rollout must stay live',
    nullValue: '0 trains without a teacher; the arms “no teacher” are that control.',
    notShown: 'What RL alone would find: with a recomputed ratio the teacher’s half is advantage-weighted imitation.',
  },
  teacherPool: {
    title: 'Teacher pool',
    meaning: 'Where teacher rows come from: graded once when the pool is built, and frozen.',
    formula: 'rows (problem_id, prompt, completion, reward, passed, gt_correct, exploited, mechanism)',
    range: 'Empty: the environment’s templates. Else a pool that was imported or built here.',
    nullValue: 'No rows for a prompt: it gets a whole group of live rollouts.',
    notShown: 'That its labels suit another grader: the grader’s version is stored with them.',
  },
  teacherRatio: {
    title: 'Ratio of teacher rows',
    meaning: 'Which policy the teacher’s tokens count as sampled from.',
    formula:
      'recomputed: logπ_old is the present student’s, ρ = 1 at first. stored: the teacher’s own log-probabilities, and the clip acts at once',
    range: 'recomputed, stored (the pool must hold log-probabilities)',
    nullValue: 'recomputed.',
    notShown: 'A corrected estimate, under recomputed: it is imitation weighted by advantage.',
  },
  heldOut: {
    title: 'Held-out modes',
    meaning: 'Modes that the pairs, the teacher, or both never show: the test of hacks that nobody knew.',
    formula: 'a mode is left out in full where neither the pairs’ nor the teacher’s list names it',
    range: 'Modes, separated by commas; empty: all of the run’s.',
    nullValue: 'Empty: nothing is held out.',
    notShown:
      'Generalisation, by itself: a mode counts as evidence only if vanilla hacks it at least 15 points above the base, and one left out of the pairs alone is still taught.',
  },
  adapter: {
    title: 'Adapter',
    meaning: 'What is trained; the model’s own weights stay frozen.',
    formula:
      'svd: W + U diag(δS) Vh, one knob per singular direction of W. lora: W + B A of the given rank, B = 0 at start',
    range: 'svd, lora (rank 1 … 1024, at most the weight’s own)',
    nullValue: 'Both start at the base, bit for bit.',
    notShown: 'Norms and overlaps on a common scale: the two have different coordinates.',
  },
  clip: {
    title: 'Ratio clip',
    meaning:
      'Tokens whose ratio has moved past the clip, in the direction their advantage asks for, get no more gradient.',
    formula: '−min(ρA, clip(ρ, 1 − ε, 1 + ε_high) A); ε_high = 0 means ε',
    range: '0 … 10; the upper end at least the lower',
    nullValue: 'It never acts on policy, where ρ = 1.',
    notShown: 'How far the policy moves: the clip does not bound that.',
  },
  klPull: {
    title: 'KL weight β',
    meaning: 'Pulls the student towards the untrained model.',
    formula: 'loss + β · K3, K3 = exp(ref − logπ) − (ref − logπ) − 1 for each scored token',
    range: '0 … 10; the arm “KL penalty” has 0.1',
    nullValue: '0 leaves it out. Untrained, its slope is 0: the first step does not feel it.',
    notShown: 'Which learning it holds back: hacking and solving alike. Skipped groups are not pulled.',
  },
  normClip: {
    title: 'Gradient norm clip',
    meaning: 'A longer gradient is scaled down to this length, before the projection.',
    formula: 'g ← g · min(1, clip / ‖g‖), over all modules together',
    range: '10⁻⁶ … 10⁹',
    nullValue: 'Anything above the gradient norms of the run.',
    notShown: 'A bound on the step: AdamW divides by the root of its own mean square.',
  },
  adamw: {
    title: 'AdamW',
    meaning: 'The optimizer of the knobs: running means of the gradient and its square, with decoupled decay.',
    formula: 'Δ = lr · m̂ / (√v̂ + ε), m and v with memories β₁ and β₂; decay lr · λ · δS beside it',
    range: 'β from 0 to below 1; ε > 0; decay 0 … 10',
    nullValue: 'Weight decay 0: knobs are not pulled towards the base.',
    notShown:
      'The gradient’s direction: m and 1/√v turn it, also hack-ward again after a projection. Hence the target “update”.',
  },
} satisfies Readonly<Record<string, GlossaryEntry>>;
