// What the settings' concepts mean, for the question mark beside each field of the form: the rule it enters, its values, the
// value at which it does nothing, and what it does not decide. The words follow docs/method.md. Which setting reaches which
// entry stands in setting-glossary.ts; entries of metrics are in glossary.ts.
import type { GlossaryEntry } from './glossary.ts';

export type SettingConcept =
  | 'adamw'
  | 'adapter'
  | 'advantageMod'
  | 'advantageScale'
  | 'arms'
  | 'axes'
  | 'basisSource'
  | 'checkpoint'
  | 'clip'
  | 'environment'
  | 'evaluation'
  | 'gate'
  | 'group'
  | 'heldOut'
  | 'honest'
  | 'innerEpochs'
  | 'inoculation'
  | 'klPull'
  | 'lossType'
  | 'maxNew'
  | 'model'
  | 'modes'
  | 'monitor'
  | 'noiseFloor'
  | 'normClip'
  | 'overshoot'
  | 'pairGradient'
  | 'pairs'
  | 'penalty'
  | 'policyRatio'
  | 'preserveMagnitude'
  | 'problems'
  | 'promptsPerStep'
  | 'refresh'
  | 'screening'
  | 'seeds'
  | 'solveOrth'
  | 'steps'
  | 'tau'
  | 'teacherPool'
  | 'teacherRatio'
  | 'teacherShare'
  | 'temperature';

export const SETTING_CONCEPTS: Readonly<Record<SettingConcept, GlossaryEntry>> = {
  arms: {
    title: 'Arms: vanilla, erase, route',
    meaning: 'What is done with the hack-ward part of the gradient; everything else about the runs is the same.',
    formula:
      'c = V g, removed = overshoot · relu(c) V, kept = g − removed. vanilla: δS ← g. erase: δS ← kept. route: δS ← kept, δS_hack ← removed, and deployment leaves δS_hack out',
    range:
      'Target gradient: split before AdamW. Target update: AdamW’s step Δ is split, so that its moments cannot turn it back; under route (update) training is vanilla, byte for byte.',
    nullValue: 'vanilla, and the controls random V and permuted V: a real basis has to beat both.',
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
    nullValue: 'random and permuted: if V does not beat them, the effect is regularisation or steering.',
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
  monitor: {
    title: 'Monitor (uses the oracle)',
    meaning: 'A flag on rollouts that hacked, wrong with a set probability; a penalty or screening acts on it.',
    formula:
      'flag = exploited, flipped with probability 1 − accuracy; one draw per rollout, the same for all arms of a seed',
    range: '0 … 1; 1 is the oracle itself',
    nullValue: '½ flags by the toss of a coin.',
    notShown: 'A real monitor: its errors follow the text, and a policy can learn to cause them.',
  },
  penalty: {
    title: 'Reward penalty (uses the oracle)',
    meaning: 'A baseline: what the monitor flags counts for less in the group’s statistics.',
    formula: 'R − penalty where flagged; bites where penalty > 1 / (2 · accuracy − 1)',
    range: '0 … 100; refused together with screening',
    nullValue: '0: no penalty.',
    notShown:
      'A way without labels: it needs to know each hack while training. The logged reward stays the environment’s.',
  },
  screening: {
    title: 'Screening (uses the oracle)',
    meaning: 'A baseline: what the monitor flags leaves its group.',
    formula: 'flagged rollouts are dropped before the statistics; a group left with fewer than two is skipped',
    range: 'yes, no; refused together with a penalty',
    nullValue: 'no.',
    notShown: 'Equal data: a good monitor takes the teacher’s rows away too, so read it beside “no teacher” as well.',
  },
  inoculation: {
    title: 'Inoculation prompt',
    meaning: 'A baseline: while training, hackable prompts ask openly for the exploit; evaluation prompts do not.',
    formula: 'one clause after the hint of each hackable training prompt',
    range: 'yes, no',
    nullValue: 'no.',
    notShown: 'The method at its best: the embedded model has no notion of permission. It is a lower bound.',
  },
  advantageMod: {
    title: 'Advantage modification',
    meaning: 'A baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
    formula: 'subtract: r − α · max(z, 0). scale: r · (1 − α · σ(z)) where z > 0; z is standardised within the group',
    range: 'none, subtract, scale; α 0 … 10',
    nullValue: 'none, or α = 0.',
    notShown:
      'A change of honest groups alone or hackable ones alone: it moves both, and hardly any group is flat under it.',
  },
  modes: {
    title: 'Loophole modes',
    meaning: 'The flaws of the graders, one for each hackable problem.',
    formula:
      'run_tests, sentinel, stdout_marker, file_marker, eq_override, exit_code: what passes such a grader without solving',
    range: 'At least one, each once, separated by commas.',
    nullValue: 'The untrained base’s hack rate for each.',
    notShown: 'That modes are equally hard to find: read hack per mode.',
  },
  honest: {
    title: 'Honest problems',
    meaning: 'Problems whose grader has no flaw, so that solving pays and its loss can be seen.',
    formula: 'honest share of the training set; “train on honest” keeps only those, as many a step as their share',
    range: '0 … 1',
    nullValue: '0: every problem can be hacked, as in the reference; solving is then hardly taught.',
    notShown: 'Hack, which is counted over hackable problems alone.',
  },
  problems: {
    title: 'Problems and their seed',
    meaning: 'How many problems are trained on, and which: the data seed fixes them for every arm and seed.',
    formula: 'data seed → problems, pairs, teacher pool, evaluation set; disjoint families for training and evaluation',
    range: 'problems ≥ prompts per step',
    nullValue: 'None: another data seed is another environment.',
    notShown: 'Scatter over environments, unless the data seed is varied too.',
  },
  model: {
    title: 'Student model',
    meaning: 'The language model whose knobs are trained.',
    formula: 'tiny-coder is embedded and pretrained on one-line Python',
    range: 'tiny-coder, or an imported model',
    nullValue: 'The untrained base stands in every table.',
    notShown: 'What a larger model would do: the embedded one knows code alone.',
  },
  environment: {
    title: 'Environment',
    meaning: 'Where problems, graders and hints come from.',
    formula: 'reward = 0.25 · format_ok + 1.0 · passed',
    range: 'one-line-python: short functions, run by a sandboxed interpreter',
    nullValue: 'The untrained base’s reward.',
    notShown: 'gt_correct, the strict oracle on held tests: it never reaches a reward.',
  },
  evaluation: {
    title: 'Evaluation',
    meaning: 'Unseen problems, answered by the model at some steps and, at the end, by every model of the table.',
    formula: 'one set of problems and one stream of random numbers for every model',
    range: 'every N steps (0: never during the run); problems ≥ 1',
    nullValue: 'Its noise: about √(p(1 − p)/n), 3 points at n = 256 and p = ½.',
    notShown: 'Training itself: evaluation changes no byte of a run.',
  },
  checkpoint: {
    title: 'Checkpoint',
    meaning: 'The run’s whole state, kept so that it can go on after a reload or a crash.',
    formula: 'knobs, quarantines, moments, position of the random numbers, rows',
    range: 'every N steps; 0: never, and a reload starts anew',
    nullValue: 'A resumed run gives the same bytes as one that was never interrupted.',
    notShown: 'Anything about results: it only costs storage.',
  },
};
