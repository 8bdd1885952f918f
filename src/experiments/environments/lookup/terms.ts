// The terms of the questions with tools: plain GRPO on a small model of their own, over episodes of up to five turns, without a
// teacher, pairs or anything to exploit.
import type { WorldTerms } from '../terms.ts';

const ID = 'lookup';
/** Four calls and the answer; a call has fewer than 14 tokens, and what pretraining has seen fewer than 100 with its prompt. */
const EPISODE = { maxTurns: 5, maxTokens: 160 };
const TURN = 24;

export const LOOKUP_TERMS: WorldTerms = {
  id: ID,
  label: 'Questions with tools, in several turns',
  named: (environment) => environment === ID,
  example: ID,
  words: {
    model: 'tiny-lookup on transcripts with tools',
    reward: '0.1 · a number in a box + 1.0 · right',
    problems: 'questions that a tool has to be asked for, in several turns',
  },
  pairs: false,
  teacher: false,
  loopholes: false,
  defaults(preset) {
    const common = { model: 'tiny-lookup', mix: 0, maxTurns: EPISODE.maxTurns };
    const arms = ['none'] as const;
    // Presets for models of other hands keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms, settings: common };
    const small = { ...common, maxTokens: EPISODE.maxTokens, maxNew: TURN };
    if (preset === 'smoke') return { arms, settings: { ...small, problems: 32 } };
    return { arms, settings: { ...small, steps: 40, problems: 512, groupSize: 8 } };
  },
};
