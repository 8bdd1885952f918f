// The presets: METHOD's table, as data. A preset fixes every setting, the arms and the seeds; a person changes from there.
import { STANDARD_MODES } from '../environments/code/types.ts';
import type { ArmName } from './arms.ts';
import type { Settings } from './fields.ts';

export interface Preset {
  description: string;
  arms: readonly ArmName[];
  seeds: readonly number[];
  settings: Settings;
  /** Needs a model that follows instructions and long contexts; refused for the embedded one. */
  realModel: boolean;
}

/** What every preset has unless it says otherwise; also what a setting is in a run kept before that setting existed. */
export const COMMON: Settings = {
  steps: 60,
  groupSize: 8,
  promptsPerStep: 8,
  maxNew: 72,
  temperature: 1,
  lossType: 'dr_grpo',
  scaleRewards: 'none',
  importanceSampling: 'token',
  innerEpochs: 1,
  mix: 0.25,
  teacherPool: '',
  poolModes: [],
  teacherRatio: 'recomputed',
  adapter: 'svd',
  loraRank: 32,
  clipEps: 0.2,
  clipEpsHigh: 0,
  klBeta: 0,
  lr: 0.03,
  warmupFrac: 0.1,
  normClip: 10,
  beta1: 0.5,
  beta2: 0.9,
  adamEps: 1e-8,
  weightDecay: 0,
  k: 5,
  pairs: 24,
  dropBottomFrac: 0.25,
  tauAxis: 0,
  nHeldout: 0,
  pairSet: 'prog_wide',
  pairModes: [],
  basisLoss: 'nll',
  basisKind: 'svd',
  solveOrth: 0,
  refreshEvery: 0,
  basisSource: 'pairs',
  basisFile: '',
  gate: 'one_sided',
  overshoot: 1,
  preserveMagnitude: false,
  rewardPenalty: 0,
  monitorAccuracy: 1,
  screening: false,
  inoculation: false,
  advantageMod: 'none',
  advantageAlpha: 1,
  modes: STANDARD_MODES,
  honestShare: 0.5,
  trainOn: 'all',
  problems: 256,
  dataSeed: 7,
  evalEvery: 10,
  evalProblems: 32,
  finalEvalProblems: 256,
  checkpointEvery: 10,
  model: 'tiny-coder',
  environment: 'one-line-python',
};

export const PRESETS = {
  demo: {
    description: 'The default: half honest problems; route (update) with its shadows, and erase (update).',
    arms: ['route-update', 'erase-update'],
    seeds: [41],
    settings: COMMON,
    realModel: false,
  },
  smoke: {
    description: 'Three small steps, in seconds: shows that everything works, and nothing else.',
    arms: ['route-update', 'erase-update'],
    seeds: [41],
    settings: {
      ...COMMON,
      steps: 3,
      groupSize: 4,
      promptsPerStep: 2,
      maxNew: 48,
      problems: 16,
      evalEvery: 2,
      evalProblems: 5,
      finalEvalProblems: 10,
    },
    realModel: false,
  },
  classic: {
    description: 'The reference’s design: hackable problems only, gradient target, three seeds.',
    arms: ['none', 'erase', 'route', 'random_V'],
    seeds: [41, 42, 43],
    settings: { ...COMMON, steps: 40, promptsPerStep: 4, honestShare: 0, problems: 128 },
    realModel: false,
  },
  capability: {
    description: 'Three quarters honest problems and 100 steps: is the task still learned without the hack?',
    arms: ['route-update', 'erase-update'],
    seeds: [41],
    settings: { ...COMMON, steps: 100, honestShare: 0.75 },
    realModel: false,
  },
  fast: {
    description: 'The reference’s quick setting for real models (512 new tokens).',
    arms: ['none', 'erase', 'route'],
    seeds: [41],
    settings: { ...COMMON, promptsPerStep: 4, maxNew: 512, lr: 3e-3, mix: 0.125, honestShare: 0 },
    realModel: true,
  },
  full: {
    description: 'The reference’s full setting for real models (200 steps of 43 prompts).',
    arms: ['none', 'erase', 'route'],
    seeds: [41, 42, 43],
    settings: {
      ...COMMON,
      steps: 200,
      groupSize: 6,
      promptsPerStep: 43,
      maxNew: 1024,
      lr: 1e-3,
      beta1: 0.9,
      beta2: 0.99,
      mix: 0.5,
      klBeta: 1e-3,
      honestShare: 0,
    },
    realModel: true,
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
