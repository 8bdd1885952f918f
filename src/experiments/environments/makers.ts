// What makes the environments that take more than a drawn one has: graders, teachers, a replicate, revisions of whole answers. Loaded when a
// run first acts in one; the others are made of what their folder gives (registry.ts).

import type { EnvironmentMaker } from './definition.ts';
import type { MeasuredPretraining } from './pretraining.ts';

interface Maker {
  load(): Promise<EnvironmentMaker>;
  pretraining?(environment: string): Promise<MeasuredPretraining>;
}

/** By the environment's id. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  'one-line-python': {
    load: async () => (await import('./code/code.ts')).codeMaker,
    pretraining: async () => (await import('./code/pretraining.ts')).codePretraining,
  },
  custom: { load: async () => (await import('./custom/custom.ts')).customMaker },
  leetcode: { load: async () => (await import('./leetcode/leetcode.ts')).leetcodeMaker },
  instructions: { load: async () => (await import('./instructions/instructions.ts')).instructionsMaker },
  chain: {
    load: async () => (await import('./chain/chain.ts')).chainMaker,
    pretraining: async () => (await import('./chain/pretraining.ts')).chainPretraining,
  },
  agents: {
    load: async () => (await import('./agents/agents.ts')).agentsMaker,
    pretraining: async (environment) => (await import('./agents/pretraining.ts')).pretrainingIn(environment),
  },
  characters: {
    load: async () => (await import('./characters/characters.ts')).charactersMaker,
    pretraining: async (environment) => (await import('./characters/pretraining.ts')).pretrainingIn(environment),
  },
};
