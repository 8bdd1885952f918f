// The worker's handlers for a server that the user names, and for the Hub: a part of the table in handlers.ts, loaded with the first
// request. Nothing is stored, and only the page's request names an address.

import { EndpointModel } from '@projected-grpo-lab/are/agents/react/endpoint.ts';
import { PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import type { RowAsk, ServerAsk } from '../protocol/servers.ts';
import type { HandlerParts } from '../work/parts.ts';

/** The outside world; tests pass a fake one. */
interface ServerSurroundings {
  /** The page's origin, which the server must allow. */
  origin: string;
  now(): number;
  fetch?: typeof fetch;
  /** Address of a Hub other than the real one. */
  hub?: string;
}

const browserSurroundings = (): ServerSurroundings => ({
  origin: globalThis.location?.origin ?? '',
  now: () => performance.now(),
});

export function createServerHandlers(
  { tasks }: Pick<HandlerParts, 'tasks'>,
  { origin, now, fetch: send, hub: endpoint }: ServerSurroundings = browserSurroundings(),
) {
  const remedy = `Check that it runs and allows requests from ${origin} (CORS). A page loaded over https reaches http servers on its own machine only. Or use the command line: npm run lab -- are run … --agent react --endpoint …`;
  const leavingOut = 'Use the command line, which can leave it out: npm run lab -- are run … --endpoint … --leave-out';
  return {
    /** Returns `tooLong`, with the server's message, if the conversation exceeds the model's context. */
    askServer: ({ id, turns, stop, ...settings }: ServerAsk) =>
      tasks.run(id, async (signal) => {
        try {
          const model = new EndpointModel({ ...settings, remedy, leavingOut, now, fetch: send, signal });
          return { answer: await model.answer(turns, { stop }) };
        } catch (error) {
          if (error instanceof PromptTooLong) return { tooLong: error.message };
          throw error;
        }
      }),
    fetchRow: ({ id, ...wanted }: RowAsk) =>
      tasks.run(id, async (signal) => {
        const { fetchRow } = await import('../../storage/datasets/row.ts');
        return fetchRow(wanted, { endpoint, fetch: send, signal });
      }),
  };
}
