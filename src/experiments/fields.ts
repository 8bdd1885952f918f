// Every setting of a run, once: its schema, its bounds, and its words. The form, the URL, the command line and the
// stored spec are all made from this table, so that none of them can know a setting the others do not.
import * as z from 'zod/mini';
import { MODES } from '../environments/code/types.ts';
import {
  boolean,
  choice,
  eachOnce,
  type Field,
  type FieldInfo,
  integer,
  modeList,
  number,
  text,
} from './field-kinds.ts';
import type { SettingName, Settings } from './settings.ts';

export type { Projection, ProjectTarget } from '../algorithms/optimizer.ts';
export type { Gate } from '../algorithms/projection.ts';
export { expectation, type FieldGroup, type FieldInfo, type FieldKind, GROUPS } from './field-kinds.ts';
export type { BasisSource, LossType, SettingName, Settings } from './settings.ts';

/** In the order in which a form shows them. */
export const FIELDS: { readonly [K in SettingName]: Field<Settings[K]> } = {
  steps: integer(1, 100_000, {
    label: 'Steps',
    help: 'Optimizer steps. The demo shows its effect after about 60.',
    group: 'Training',
  }),
  promptsPerStep: integer(1, 1024, {
    label: 'Prompts per step',
    help: 'How many problems one step samples; each makes one group.',
    group: 'Training',
  }),
  groupSize: integer(2, 256, {
    label: 'Group size',
    unit: 'rollouts',
    help: 'Rollouts of one prompt, teacher rows included; rewards are compared within the group.',
    group: 'Training',
  }),
  maxNew: integer(1, 32_768, {
    label: 'Longest completion',
    unit: 'tokens',
    help: 'A rollout that has not ended by then is cut off.',
    group: 'Training',
  }),
  temperature: number(0.05, 4, {
    label: 'Sampling temperature',
    help: 'Of the live rollouts. 1 samples from the model as it is.',
    group: 'Training',
    level: 'advanced',
  }),
  lossType: choice(['dr_grpo', 'grpo', 'bnpo', 'dapo'], {
    label: 'Loss normalisation',
    help: 'What the summed token loss is divided by: a constant (dr_grpo), each completion’s length (grpo), or all tokens of the step (bnpo, dapo).',
    group: 'Training',
    level: 'advanced',
  }),
  scaleRewards: choice(['none', 'group', 'batch'], {
    label: 'Scale advantages',
    help: 'none: A = R − mean (Dr.GRPO). group: also divided by the group’s standard deviation (the classic GRPO). batch: by the whole step’s.',
    group: 'Training',
    level: 'advanced',
  }),
  importanceSampling: choice(['token', 'sequence'], {
    label: 'Policy ratio per',
    help: 'token: each token has its own ratio. sequence: one length-normalised ratio a completion (GSPO; with loss grpo only).',
    group: 'Training',
    level: 'advanced',
  }),
  innerEpochs: integer(1, 64, {
    label: 'Inner epochs',
    help: 'Optimizer steps on the same rollouts. From the second on, the policy ratio leaves 1 and the clip acts.',
    group: 'Training',
    level: 'advanced',
  }),
  mix: number(0, 0.99, {
    label: 'Teacher share',
    help: 'Share of each hackable group filled with cached teacher rollouts. 0 trains without a teacher.',
    group: 'Teacher',
  }),
  teacherPool: text({
    label: 'Teacher pool',
    help: 'A pool that is kept here, by its hash; empty: the environment’s own templates.',
    group: 'Teacher',
    level: 'advanced',
  }),
  poolModes: modeList(
    'Teacher shows',
    'Loophole modes that have teacher rows; none marked: all of the run’s.',
    'Teacher',
  ),
  teacherRatio: choice(['recomputed', 'stored'], {
    label: 'Teacher’s policy ratio',
    help: 'recomputed: on the present student, as the reference does. stored: against the teacher’s own log-probabilities (the pool must hold them).',
    group: 'Teacher',
    level: 'advanced',
  }),
  adapter: choice(['svd', 'lora'], {
    label: 'Adapter',
    help: 'svd: one knob per singular direction of each weight. lora: a low-rank update, for comparison.',
    group: 'Adapter',
    level: 'advanced',
  }),
  loraRank: integer(1, 1024, {
    label: 'LoRA rank',
    help: 'Of the two factors whose product is added to each weight.',
    group: 'Adapter',
    level: 'advanced',
  }),
  lr: number(0, 10, {
    label: 'Learning rate',
    help: 'Peak rate of AdamW on the knobs δS; warmed up, then lowered to 0 on a cosine.',
    group: 'Optimizer',
  }),
  warmupFrac: number(0, 1, {
    label: 'Warm-up',
    unit: 'share of the steps',
    help: 'The rate rises linearly from 0 over this share of the run.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  clipEps: number(0, 10, {
    label: 'Ratio clip ε',
    help: 'The policy ratio is clipped to 1 ± ε.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  clipEpsHigh: number(0, 10, {
    label: 'Upper clip ε',
    help: 'The upper end is 1 + this; 0: the same as the lower.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  klBeta: number(0, 10, {
    label: 'KL weight β',
    help: 'Pull towards the untrained model (K3 estimator). 0 leaves it out.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  normClip: number(1e-6, 1e9, {
    label: 'Gradient norm clip',
    help: 'A longer gradient is scaled down to this length.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  beta1: number(0, 0.999999, { label: 'AdamW β₁', help: 'Memory of the mean.', group: 'Optimizer', level: 'advanced' }),
  beta2: number(0, 0.999999, {
    label: 'AdamW β₂',
    help: 'Memory of the mean square.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  adamEps: number(1e-16, 1, {
    label: 'AdamW ε',
    help: 'Added to the root of the mean square.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  weightDecay: number(0, 10, {
    label: 'Weight decay',
    help: 'Decoupled; pulls the knobs towards 0.',
    group: 'Optimizer',
    level: 'advanced',
  }),
  k: integer(1, 4096, {
    label: 'Axes k',
    help: 'Directions kept per module, strongest first.',
    group: 'Hack basis',
  }),
  pairs: integer(2, 4096, {
    label: 'Labelled pairs',
    help: '(hack, clean) completions of one prompt that the basis is extracted from.',
    group: 'Hack basis',
  }),
  dropBottomFrac: number(0, 0.99, {
    label: 'Noise floor',
    unit: 'share of the axes',
    help: 'The weakest axes of all modules together are dropped.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  tauAxis: number(0, 1, {
    label: 'Axis threshold τ',
    help: 'Axes weaker than τ times the module’s strongest are zeroed.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  nHeldout: integer(0, 4096, {
    label: 'Held-out pairs',
    help: 'Pairs at the end of the list that are kept for validation.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  pairSet: text({
    label: 'Pair set',
    help: 'Which labelled pairs: a built-in set by its name, or one of your own.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  pairModes: modeList(
    'Pairs show',
    'Loophole modes whose pairs make the basis; none marked: all of the run’s.',
    'Hack basis',
  ),
  basisLoss: choice(['nll', 'grpo'], {
    label: 'Gradient of a pair',
    help: 'nll: mean over each completion’s tokens. grpo: advantages ±1 under Dr.GRPO, so that longer completions weigh more.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  basisKind: choice(['svd', 'mean_diff'], {
    label: 'Axes from',
    help: 'svd: the top singular vectors of the pairs’ differences. mean_diff: their mean, one axis.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  solveOrth: integer(0, 4096, {
    label: 'Solve axes stripped',
    help: 'Top axes of the clean completions’ gradients that are taken out of the differences first; 0: none.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  refreshEvery: integer(0, 100_000, {
    label: 'Refresh every',
    unit: 'steps',
    help: 'The basis is extracted again on the current model without its quarantine; 0: never.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  basisSource: choice(['pairs', 'random', 'random_matched', 'permuted', 'flipped', 'file'], {
    label: 'Basis from',
    help: 'The labelled pairs; or a control: random directions (as many, or enough to remove as much), permuted or flipped labels; or an imported file.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  basisFile: text({
    label: 'Basis file',
    help: 'Id of the imported basis.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  gate: choice(['one_sided', 'no_gate', 'reverse'], {
    label: 'Gate',
    help: 'one_sided removes only hack-ward motion, no_gate both ways, reverse flips it.',
    group: 'Projection',
    level: 'advanced',
  }),
  overshoot: number(0, 10, {
    label: 'Overshoot',
    help: 'Removes this multiple of the component; 1 removes it exactly.',
    group: 'Projection',
    level: 'advanced',
  }),
  preserveMagnitude: boolean({
    label: 'Preserve magnitude',
    help: 'Rescales what is kept to the gradient’s own length (erase under gradient only).',
    group: 'Projection',
    level: 'advanced',
  }),
  rewardPenalty: number(0, 100, {
    label: 'Reward penalty',
    help: 'Uses the oracle: taken off the reward of rollouts that the monitor flags as hacks. 0: no penalty.',
    group: 'Baselines',
    level: 'advanced',
  }),
  monitorAccuracy: number(0, 1, {
    label: 'Monitor accuracy',
    help: 'Uses the oracle: the monitor’s flag is the truth, flipped with probability 1 − this.',
    group: 'Baselines',
    level: 'advanced',
  }),
  screening: boolean({
    label: 'Screening',
    help: 'Uses the oracle: rollouts that the monitor flags are dropped from their group.',
    group: 'Baselines',
    level: 'advanced',
  }),
  inoculation: boolean({
    label: 'Inoculation prompt',
    help: 'Training prompts ask for the exploit openly; evaluation prompts do not.',
    group: 'Baselines',
    level: 'advanced',
  }),
  advantageMod: choice(['none', 'subtract', 'scale'], {
    label: 'Advantage modification',
    help: 'Lowers rewards by how far a response’s activations lie along a hack direction: subtract α·max(z, 0), or scale by 1 − α·σ(z).',
    group: 'Baselines',
    level: 'advanced',
  }),
  advantageAlpha: number(0, 10, {
    label: 'Modification α',
    help: 'Strength of the advantage modification.',
    group: 'Baselines',
    level: 'advanced',
  }),
  modes: {
    schema: z.readonly(z.array(z.enum(MODES)).check(z.minLength(1), eachOnce)),
    kind: { type: 'choices', options: MODES },
    words: {
      label: 'Loophole modes',
      help: 'Grader flaws that the hackable problems are divided among.',
      group: 'Problems',
      level: 'advanced',
    },
  },
  honestShare: number(0, 1, {
    label: 'Honest share',
    help: 'Share of problems whose grader has no flaw, so that solving pays.',
    group: 'Problems',
  }),
  trainOn: choice(['all', 'honest'], {
    label: 'Train on',
    help: 'honest: only the honest problems of the set, as many a step as they are of the whole. What solving alone would teach.',
    group: 'Problems',
    level: 'advanced',
  }),
  problems: integer(2, 100_000, { label: 'Problems', help: 'Size of the training set.', group: 'Problems' }),
  dataSeed: integer(0, 2 ** 31 - 1, {
    label: 'Data seed',
    help: 'Fixes problems, pairs, teacher pool and evaluation set, apart from the runs’ own seeds.',
    group: 'Problems',
    level: 'advanced',
  }),
  model: text({ label: 'Model', help: 'Which student is trained.', group: 'Problems', level: 'advanced' }),
  environment: text({ label: 'Environment', help: 'What the student acts in.', group: 'Problems', level: 'advanced' }),
  evalEvery: integer(0, 100_000, {
    label: 'Evaluate every',
    unit: 'steps',
    help: 'Evaluation during the run; 0 turns it off.',
    group: 'Evaluation',
    level: 'advanced',
  }),
  evalProblems: integer(1, 100_000, {
    label: 'Problems during the run',
    help: 'Unseen problems of each such evaluation.',
    group: 'Evaluation',
    level: 'advanced',
  }),
  finalEvalProblems: integer(1, 100_000, {
    label: 'Problems at the end',
    help: 'Unseen problems of the final evaluation: one set and one set of random numbers for every model.',
    group: 'Evaluation',
    level: 'advanced',
  }),
  checkpointEvery: integer(0, 100_000, {
    label: 'Checkpoint every',
    unit: 'steps',
    help: 'How often a run is saved, to be resumed byte for byte; 0 turns it off.',
    group: 'Evaluation',
    level: 'advanced',
  }),
};

export const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

/** The table's words and bounds, without schemas: what a form or a help page needs. */
export function describeFields(): FieldInfo[] {
  return SETTING_NAMES.map((name) => {
    const { kind, words } = FIELDS[name];
    return { name, kind, unit: '', level: 'basic', ...words };
  });
}
