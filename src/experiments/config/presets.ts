// The presets: METHOD's table as data. A preset fixes every setting, the arms and the seeds, which users override.
import type { ArmName } from './arms.ts';
import type { PresetName } from './run-spec.ts';
import { COMMON, type Settings } from './settings.ts';

export interface Preset {
  description: string;
  arms: readonly ArmName[];
  seeds: readonly number[];
  settings: Settings;
  /** Needs a model that follows instructions and long contexts; refused for the embedded one. */
  realModel: boolean;
}

export const PRESETS = {
  demo: {
    description: 'Default: half honest problems; route (update) with controls, and erase (update).',
    arms: ['route-update', 'erase-update'],
    seeds: [41],
    settings: COMMON,
    realModel: false,
  },
  lesson: {
    description: '25 steps, about a minute: RL learns the hack; deployment drops most.',
    arms: ['route-update'],
    seeds: [41],
    settings: { ...COMMON, steps: 25, evalEvery: 5, finalEvalProblems: 64 },
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
    description: '¾ honest, 100 steps: is the task learned without the hack?',
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
} as const satisfies Record<PresetName, Preset>;
