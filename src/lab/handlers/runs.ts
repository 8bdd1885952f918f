// The worker's handlers for trained runs: a part of the table in handlers.ts, loaded with the first of them. Most of their code is loaded on
// demand once more.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';
import type { BufferReport, StepReplayRequest } from '../protocol/run-requests.ts';
import type { HandlerParts } from '../work/parts.ts';

/** Most steps that are read, enough for the picture. */
const MOST_STEPS = 100;

export function createRunHandlers({ lab, equipped, gate, emit }: HandlerParts) {
  return {
    /** Null before the first checkpoint, and for a run whose sampler keeps no buffer. Refuses a malformed buffer. */
    async exitBuffer({ runId }: { runId: string }): Promise<BufferReport | null> {
      const { records } = await lab();
      const checkpoint = await records.checkpoints.load(runId);
      if (checkpoint?.sampler === undefined) return null;
      let state: unknown;
      try {
        state = parseJsonText(checkpoint.sampler);
      } catch (error) {
        throw new FormatError('The checkpoint’s task sampler is not JSON.', 'Run it again.', { cause: error });
      }
      const { parseState } = await import('../../environments/exit/sampler.ts');
      const buffer = parseState(state);
      const { flowOf, someOf } = await import('../../experiments/exit/training-flows.ts');
      const flows: StepFlow[] = [];
      // Steps are read one at a time, so that a long run's texts are never in memory together.
      for (const step of someOf((await records.rollouts.at(runId, null)).steps, MOST_STEPS)) {
        const flow = flowOf(step, (await records.rollouts.at(runId, step)).rollouts);
        if (flow) flows.push(flow);
      }
      return { step: checkpoint.step, ...buffer, flows };
    },
    /** Evaluates the run's stored model and the untrained one; refused while an experiment trains, and ended when one starts. */
    async characterMap({ task, runId }: { task: string; runId: string }) {
      const { mapOf } = await import('../work/character-map.ts');
      const { records } = await lab();
      return gate.task(task, (signal) => mapOf(runId, records, (adapter) => equipped(adapter, signal), signal));
    },
    /**
     * Adds a further quarantine to every finished run of one arm from its stored steps, evaluates its deployed model, and stores the rows
     * with the runs. Returns the changed experiment. Refused while an experiment runs, and ended when one starts.
     */
    async replaySteps({ task, ...request }: StepReplayRequest & { task: string }) {
      const { stepReplayRuns, replayableRuns } = await import('../work/step-replay-runs.ts');
      const { records } = await lab();
      const runs = await records.runs(await records.experiment(request.experimentId));
      const [{ spec }] = replayableRuns(runs, request.arm, request.shadow);
      return gate.task(task, async (signal) =>
        stepReplayRuns(request, records, await equipped(spec, signal), signal, (what, fraction) =>
          emit({ type: 'replaySteps', task, what, fraction }),
        ),
      );
    },
  };
}
