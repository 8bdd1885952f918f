// Makers of environments that need more than problems drawn by seed (graders, teachers, a replicate), or further measures of a model. They are
// loaded when first needed; all other environments are made from their own folders (registry.ts).

import { COMPOSED } from '../../environments/agents/presentation.ts';
import type { EnvironmentMaker } from './definition.ts';
import type { MeasuredPretraining } from './pretraining.ts';

export interface Maker {
  /** Absent if its problems are drawn by seed. */
  load?(): Promise<EnvironmentMaker>;
  /** Null for the folder's own pretraining. */
  pretraining?(environment: string): Promise<MeasuredPretraining | null>;
}

export const MAKERS: Readonly<Record<string, Maker>> = {
  'one-line-python': {
    load: async () => (await import('./code.ts')).codeMaker,
    pretraining: async (environment) => (await import('./code-pretraining.ts')).codePretraining(environment),
  },
  custom: { load: async () => (await import('./custom.ts')).customMaker },
  leetcode: { load: async () => (await import('./leetcode.ts')).leetcodeMaker },
  instructions: { load: async () => (await import('./instructions.ts')).instructionsMaker },
  chain: { pretraining: async () => (await import('./chain.ts')).chainPretraining },
  agents: {
    pretraining: async (environment) =>
      environment === COMPOSED ? (await import('./agents.ts')).composedPretraining : null,
  },
  characters: {
    load: async () => (await import('./characters.ts')).charactersMaker,
    pretraining: async (environment) => (await import('./characters.ts')).pretrainingIn(environment),
  },
};
