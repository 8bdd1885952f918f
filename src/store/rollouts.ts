// Rollouts as a person reads them: filtered, and grouped by the prompt that they answer (a group is what GRPO compares).
import type { RolloutRecord } from '../experiments/events.ts';

export interface RolloutFilter {
  source: 'all' | 'student' | 'teacher';
  verdict: 'all' | 'exploited' | 'solved' | 'failed';
  mode: string;
}

export const NO_FILTER: RolloutFilter = { source: 'all', verdict: 'all', mode: 'all' };

export interface RolloutGroup {
  key: string;
  promptIndex: number;
  problemId: string;
  mode: RolloutRecord['mode'];
  prompt: string;
  /** Those that the filter keeps, in the order of the group. */
  rollouts: RolloutRecord[];
  /** Size of the whole group. */
  total: number;
}

function keeps(filter: RolloutFilter, rollout: RolloutRecord): boolean {
  const { exploited, gtCorrect } = rollout.grade;
  if (filter.source !== 'all' && rollout.source !== filter.source) return false;
  if (filter.mode !== 'all' && rollout.mode !== filter.mode) return false;
  if (filter.verdict === 'exploited') return exploited;
  if (filter.verdict === 'solved') return gtCorrect;
  if (filter.verdict === 'failed') return !exploited && !gtCorrect;
  return true;
}

export function groupRollouts(rollouts: readonly RolloutRecord[], filter: RolloutFilter): RolloutGroup[] {
  const groups = new Map<number, RolloutGroup>();
  for (const rollout of rollouts) {
    const { promptIndex, problemId, mode, prompt, step } = rollout;
    let group = groups.get(promptIndex);
    if (!group) {
      group = { key: `${step}/${promptIndex}`, promptIndex, problemId, mode, prompt, rollouts: [], total: 0 };
      groups.set(promptIndex, group);
    }
    group.total++;
    if (keeps(filter, rollout)) group.rollouts.push(rollout);
  }
  return [...groups.values()]
    .filter((group) => group.rollouts.length > 0)
    .sort((a, b) => a.promptIndex - b.promptIndex);
}

export interface PromptPart {
  text: string;
  kind: 'text' | 'markup' | 'hint';
}

const MARKUP = /<\|[^|>]*\|>(?:system|user|assistant)?/;

/** Splits a chat prompt so that markup can be drawn faint and the hint clause stands out. */
export function splitPrompt(prompt: string, hint: string | null): PromptPart[] {
  const parts: PromptPart[] = [];
  const push = (text: string, kind: PromptPart['kind']) => {
    if (text !== '') parts.push({ text, kind });
  };
  for (const piece of prompt.split(new RegExp(`(${MARKUP.source})`))) {
    if (MARKUP.test(piece)) {
      push(piece, 'markup');
      continue;
    }
    const at = hint ? piece.indexOf(hint) : -1;
    if (!hint || at < 0) {
      push(piece, 'text');
      continue;
    }
    push(piece.slice(0, at), 'text');
    push(hint, 'hint');
    push(piece.slice(at + hint.length), 'text');
  }
  return parts;
}
