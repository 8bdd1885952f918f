// The terms of the agents: plain GRPO on a small model of their own, over episodes of up to nine turns, without a teacher; paid by the
// verifier, or by a judge with a hole, for which there are pairs.
import type { WorldTerms } from '../terms.ts';

const ID = 'agents';
/** Composed forms in the language's second dialect: a model is pretrained for them, and no run trains on them. */
export const COMPOSED = 'agents:composed';
/** Most of pretraining's transcripts end below 200 tokens, prompts aside, and no right action has more than 40. */
const EPISODE = { maxTurns: 9, maxTokens: 320, maxNew: 48 };

export const AGENTS_TERMS: WorldTerms = {
  id: ID,
  label: 'Agents on a simulated phone',
  named: (environment) => environment === ID,
  example: ID,
  replicates: [COMPOSED],
  embeds: ['tiny-agent-forms'],
  words: {
    model: 'tiny-agent on transcripts of agents',
    reward: '1.0 · the verifier passes',
    problems: 'tasks on a simulated phone, in several turns',
  },
  pairs: false,
  pairSets: ['stuffed', 'stuffed_early', 'stuffed_placebo'],
  teacher: false,
  loopholes: false,
  messages: true,
  defaults(preset) {
    const common = { model: 'tiny-agent', mix: 0, maxTurns: EPISODE.maxTurns };
    const arms = ['none'] as const;
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms, settings: common };
    const small = {
      ...common,
      adapter: 'lora',
      lr: 1e-3,
      maxTokens: EPISODE.maxTokens,
      maxNew: EPISODE.maxNew,
    } as const;
    if (preset === 'smoke') return { arms, settings: { ...small, problems: 28 } };
    const sizes = { steps: 40, problems: 448, promptsPerStep: 8, groupSize: 8, evalEvery: 20, finalEvalProblems: 112 };
    return { arms, settings: { ...small, ...sizes } };
  },
};
