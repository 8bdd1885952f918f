// What the worker does with requests for a run's ExIt buffer: a part of the table in handlers.ts.
import { parseState } from '../../environments/exit/state.ts';
import { FormatError } from '../../lib/errors.ts';
import { parseJsonText } from '../../lib/json.ts';
import type { BufferRequests } from '../protocol/buffer.ts';
import type { LabParts } from './parts.ts';

type Handlers = {
  [K in keyof BufferRequests]: (params: BufferRequests[K]['params']) => Promise<BufferRequests[K]['result']>;
};

export function createBufferHandlers({ lab }: { lab(): Promise<LabParts> }): Handlers {
  return {
    async exitBuffer({ runId }) {
      const { records } = await lab();
      const checkpoint = await records.checkpoints.load(runId);
      if (checkpoint?.sampler === undefined) return null;
      let state: unknown;
      try {
        state = parseJsonText(checkpoint.sampler);
      } catch (error) {
        throw new FormatError('The checkpoint’s task sampler is no JSON.', 'Run it again.', { cause: error });
      }
      return { step: checkpoint.step, ...parseState(state) };
    },
  };
}
