// A running experiment on stderr: one line per run, then share, phase, rates of the last step and the time left; rollouts and finished runs
// go into the run's folder as they come.

import { duration } from '@projected-grpo-lab/base/commands/progress.ts';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { MetricInfo } from '../../environments/metric-info.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { type ExperimentState, foldEvent, isOver } from '../../experiments/records/experiment-state.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { ProgressTracker } from '../../lab/estimate/progress.ts';
import type { CommandContext } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { type RunFolder, runName } from './folder.ts';
import { EXPERIMENT } from './host.ts';

/** Shows the events that `train` passes to `see`, folds them into `state`, and keeps finished runs. Returns what `train` does. */
export async function follow<Result>(
  state: ExperimentState,
  folder: RunFolder,
  { progress }: CommandContext,
  train: (see: (event: LabEvent) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const tracker = new ProgressTracker(EXPERIMENT, state, () => performance.now());
  let rates = '';
  let headlines: readonly MetricInfo[] = [];
  const see = async (event: LabEvent) => {
    await yieldToEvents();
    tracker.see(event);
    foldEvent(state, event);
    const { run, runs, step, steps, phase, fraction, etaSeconds } = tracker.progress();
    if (event.type === 'run-start') {
      const { spec, rows } = event.run;
      progress.note(
        `Run ${run + 1} of ${runs}: ${spec.arm}, seed ${spec.seed}, ${steps} steps${rows.length ? `, going on after step ${rows.length}` : ''}`,
      );
      headlines = headlinesOf(spec.environment);
      rates = '';
    } else if (event.type === 'step') {
      await folder.saveRollouts(event.runId, event.row.step, event.rollouts);
      const show = (x: number | null) => (x === null ? '–' : x.toFixed(2));
      rates = `${headlines.map(({ id }) => `${id} ${show(metricValue(event.row.student, id))}`).join('  ')}  reward ${show(event.row.reward)}  ${event.timing.total.toFixed(1)} s/step`;
    } else if (event.type === 'run-end' && event.run.status === 'done') {
      await folder.saveRun(event.run);
    }
    const what =
      event.type === 'prepare' ? `${event.what} ${event.done}/${event.total}` : `step ${step}/${steps}  ${phase}`;
    const eta = etaSeconds === null ? '' : `  ETA ${duration(etaSeconds)}`;
    progress.line(`${String(Math.floor(100 * fraction)).padStart(3)}%  ${what}  ${rates}${eta}`);
  };
  try {
    return await train(see);
  } catch (error) {
    if (error instanceof StoppedError) {
      const places = [...state.attempts]
        .filter(([id]) => !isOver(state, id))
        .map(([id, { resumesAfter }]) => `step ${resumesAfter} of ${runName(id)}`);
      progress.note(`Stopped. The same command goes on${places.length > 0 ? ` after ${places.join(', ')}` : ''}.`);
    }
    throw error;
  }
}
