// The head of a rollout: what filters and counts need of it, without its texts. A run of 60 steps × 128 rollouts is some
// megabytes of heads but far more of texts, so the page holds heads of all and texts of the few that it shows.
import type { Mode, ProblemMode } from '../environments/code/types.ts';
import type { Source } from '../environments/types.ts';
import type { RolloutRecord } from '../experiments/events.ts';

export interface RolloutHead {
  runId: string;
  step: number;
  promptIndex: number;
  sampleIndex: number;
  problemId: string;
  mode: ProblemMode;
  source: Source;
  reward: number;
  advantage: number;
  passed: boolean;
  gtCorrect: boolean;
  exploited: boolean;
  structural: boolean;
  mechanism: Mode | null;
  /** Lines of the completion: the page guesses heights by it before the text is there. */
  lines: number;
}

export function headOf(runId: string, rollout: RolloutRecord): RolloutHead {
  const { step, promptIndex, sampleIndex, problemId, mode, source, advantage, grade, completion } = rollout;
  const { reward, passed, gtCorrect, exploited, structural, mechanism } = grade;
  return {
    runId,
    step,
    promptIndex,
    sampleIndex,
    problemId,
    mode,
    source,
    reward,
    advantage,
    passed,
    gtCorrect,
    exploited,
    structural,
    mechanism,
    lines: completion.trimEnd().split('\n').length,
  };
}

/** Whether prompt, completion, problem or the grader's note holds the text, in any case. Empty text is in everything. */
export function holdsText(rollout: RolloutRecord, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  return [rollout.completion, rollout.prompt, rollout.problemId, rollout.grade.note ?? ''].some((field) =>
    field.toLowerCase().includes(wanted),
  );
}

export const headsOf = (runId: string, rollouts: readonly RolloutRecord[], text: string): RolloutHead[] =>
  rollouts.filter((rollout) => holdsText(rollout, text)).map((rollout) => headOf(runId, rollout));
