// What the worker does with requests for a run's ExIt buffer: a part of the table in handlers.ts.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { parseState } from '../../environments/exit/sampler.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import type { BufferRequests } from '../protocol/run-requests.ts';
import type { LabParts } from '../work/parts.ts';

/** Steps that are looked at: more say no more in a picture. */
const MOST_STEPS = 100;

export function createBufferHandlers({ lab }: { lab(): Promise<LabParts> }): HandlersOf<BufferRequests> {
  return {
    async exitBuffer({ runId }) {
      const { records } = await lab();
      const checkpoint = await records.checkpoints.load(runId);
      if (checkpoint?.sampler === undefined) return null;
      let state: unknown;
      try {
        state = parseJsonText(checkpoint.sampler);
      } catch (error) {
        throw new FormatError('The checkpoint’s task sampler is not JSON.', 'Run it again.', { cause: error });
      }
      const buffer = parseState(state);
      const { flowOf, someOf } = await import('../../experiments/exit/training-flows.ts');
      const flows: StepFlow[] = [];
      // One step at a time, so that a long run's texts are never in memory together.
      for (const step of someOf((await records.rollouts.at(runId, null)).steps, MOST_STEPS)) {
        const flow = flowOf(step, (await records.rollouts.at(runId, step)).rollouts);
        if (flow) flows.push(flow);
      }
      return { step: checkpoint.step, ...buffer, flows };
    },
  };
}
