// Every setting of a run, once: its schema, its bounds, and its words. The form, the URL, the command line and the
// stored spec are all made from this table, so that none of them can know a setting the others do not.
import * as z from 'zod/mini';
import type { Gate } from '../algorithms/projection.ts';
import { MODES, type Mode } from '../environments/code/types.ts';

export type { Projection, ProjectTarget } from '../algorithms/optimizer.ts';
export type { Gate } from '../algorithms/projection.ts';
export type BasisSource = 'pairs' | 'random' | 'permuted' | 'file';

/** What the arms of one experiment share, and a person may change. */
export interface Settings {
  steps: number;
  groupSize: number;
  promptsPerStep: number;
  maxNew: number;
  temperature: number;
  scaleRewards: 'group' | 'none';
  mix: number;
  clipEps: number;
  klBeta: number;
  lr: number;
  warmupFrac: number;
  normClip: number;
  beta1: number;
  beta2: number;
  adamEps: number;
  weightDecay: number;
  k: number;
  pairs: number;
  dropBottomFrac: number;
  tauAxis: number;
  nHeldout: number;
  basisSource: BasisSource;
  /** Id of an imported basis in the lab's storage; only with basisSource = file. */
  basisFile: string;
  gate: Gate;
  overshoot: number;
  preserveMagnitude: boolean;
  modes: readonly Mode[];
  honestShare: number;
  problems: number;
  dataSeed: number;
  evalEvery: number;
  evalProblems: number;
  finalEvalProblems: number;
  checkpointEvery: number;
  model: string;
  environment: string;
}
export type SettingName = keyof Settings;

export const GROUPS = [
  'Training',
  'Teacher',
  'Optimizer',
  'Hack basis',
  'Projection',
  'Problems',
  'Evaluation',
] as const;
export type FieldGroup = (typeof GROUPS)[number];

export type FieldKind =
  | { type: 'integer' | 'number'; min: number; max: number }
  | { type: 'boolean' }
  | { type: 'choice'; options: readonly string[] }
  | { type: 'choices'; options: readonly string[] }
  | { type: 'text' };

export interface FieldInfo {
  name: SettingName;
  label: string;
  /** Empty where the number is a plain count or ratio. */
  unit: string;
  /** One line for a person who meets the word for the first time. */
  help: string;
  group: FieldGroup;
  level: 'basic' | 'advanced';
  kind: FieldKind;
}

interface Words {
  label: string;
  help: string;
  group: FieldGroup;
  unit?: string;
  level?: 'basic' | 'advanced';
}
interface Field<T> {
  schema: z.ZodMiniType<T>;
  kind: FieldKind;
  words: Words;
}

const integer = (min: number, max: number, words: Words): Field<number> => ({
  schema: z.int().check(z.minimum(min), z.maximum(max)),
  kind: { type: 'integer', min, max },
  words,
});
const number = (min: number, max: number, words: Words): Field<number> => ({
  schema: z.number().check(z.minimum(min), z.maximum(max)),
  kind: { type: 'number', min, max },
  words,
});
const choice = <const T extends string>(options: readonly T[], words: Words): Field<T> => ({
  schema: z.enum(options as readonly [T, ...T[]]) as unknown as z.ZodMiniType<T>,
  kind: { type: 'choice', options },
  words,
});
const boolean = (words: Words): Field<boolean> => ({ schema: z.boolean(), kind: { type: 'boolean' }, words });
const text = (words: Words): Field<string> => ({
  schema: z.string().check(z.maxLength(200)),
  kind: { type: 'text' },
  words,
});

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
  scaleRewards: choice(['none', 'group'], {
    label: 'Scale advantages',
    help: 'none: A = R − mean (Dr.GRPO). group: also divided by the group’s standard deviation (the classic GRPO).',
    group: 'Training',
    level: 'advanced',
  }),
  mix: number(0, 0.99, {
    label: 'Teacher share',
    help: 'Share of each hackable group filled with cached teacher rollouts. 0 trains without a teacher.',
    group: 'Teacher',
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
  basisSource: choice(['pairs', 'random', 'permuted', 'file'], {
    label: 'Basis from',
    help: 'The labelled pairs; or a control: random directions, permuted labels; or an imported file.',
    group: 'Hack basis',
    level: 'advanced',
  }),
  basisFile: text({
    label: 'Basis file',
    help: 'Id of the imported basis (only with “Basis from: file”).',
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
  modes: {
    schema: z.readonly(z.array(z.enum(MODES)).check(z.minLength(1))),
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

/** "an integer from 1 to 4096", for messages. */
export function expectation(kind: FieldKind): string {
  if (kind.type === 'integer' || kind.type === 'number')
    return `${kind.type === 'integer' ? 'an integer' : 'a number'} from ${kind.min} to ${kind.max}`;
  if (kind.type === 'choice') return `one of ${kind.options.join(', ')}`;
  if (kind.type === 'choices') return `a list of some of ${kind.options.join(', ')}`;
  return kind.type === 'boolean' ? 'true or false' : 'a text of at most 200 characters';
}
