// Progress of a running experiment in words. The worker sends fractions and an ETA. The pace is the median of the last steps' timings, so
// that a single step with an evaluation does not change it.
import type { RunRecord } from '../../experiments/records/events.ts';
import type { ProgressEvent } from '../../lab/protocol/protocol.ts';
import { quantile } from '../../stats/index.ts';
import type { LabState } from '../lab-state.ts';

/** Progress of the whole live experiment for a single bar, including preparation and evaluation. Null while it is unknown. */
export function experimentProgress({ progress, preparing }: Pick<LabState, 'progress' | 'preparing'>): {
  /** Between 0 and 1. */
  fraction: number | null;
  secondsLeft: number | null;
} {
  // Before a model has been factored, the amount of later work is unknown.
  if (!progress) return { fraction: null, secondsLeft: preparing?.etaSeconds ?? null };
  return { fraction: progress.fraction, secondsLeft: progress.paused ? null : progress.etaSeconds };
}

interface Pace {
  secondsPerStep: number;
  tokensPerSecond: number;
}

export function paceOf(run: RunRecord | undefined): Pace | null {
  const recent = run?.timings.slice(-7) ?? [];
  if (recent.length === 0) return null;
  return {
    secondsPerStep: quantile(
      recent.map((timing) => timing.total),
      0.5,
    )!,
    tokensPerSecond: quantile(
      recent.map((timing) => timing.tokensPerSecond),
      0.5,
    )!,
  };
}

/** Seconds until this run's last step at its current pace; null before its first step and after its last. */
export function secondsLeft(run: RunRecord | undefined): number | null {
  const pace = paceOf(run);
  const left = run ? run.spec.steps - run.rows.length : 0;
  return pace && left > 0 ? pace.secondsPerStep * left : null;
}

const PHASES: Readonly<Record<string, string>> = {
  refresh: 'extracting the basis again',
  rollout: 'sampling rollouts',
  grade: 'grading',
  score: 'scoring',
  backward: 'backward pass',
  update: 'updating the adapter',
  evaluate: 'evaluating',
};

/**
 * Such as `run 1 of 2 · step 12 of 60 · sampling rollouts` or `2 runs side by side · steps 12 and 13 of 60`.
 * @param forkedAt step of the parent at which a fork starts; until then it trains its parent's steps again
 */
export function progressText(progress: ProgressEvent, forkedAt = 0): string {
  const { beside = [], runId, step, steps } = progress;
  if (beside.length > 0 && runId !== null) {
    const all = [{ runId, step, steps }, ...beside].sort((a, b) => (a.runId < b.runId ? -1 : 1));
    const most = Math.max(...all.map((run) => run.steps));
    const at = `steps ${all.map((run) => run.step).join(' and ')} of ${most}`;
    return [`${all.length} runs side by side`, at, ...(progress.paused ? ['paused'] : [])].join(' · ');
  }
  const parts = [];
  if (progress.runId !== null) {
    parts.push(
      `run ${progress.run + 1} of ${progress.runs}`,
      progress.step > 0 && progress.step <= forkedAt
        ? `repeating its parent, step ${progress.step} of ${forkedAt}`
        : `step ${progress.step} of ${progress.steps}`,
    );
  }
  if (progress.paused) parts.push('paused');
  else if (progress.phase !== '') parts.push(PHASES[progress.phase] ?? progress.phase);
  return parts.join(' · ');
}
