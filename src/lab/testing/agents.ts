// The worker of agents' scenarios without a thread: behind a message channel, so that messages are cloned as in a page.

import { startNodeConverter } from '@projected-grpo-lab/are/apps/files/documents/converter.node.ts';
import type { StartAgents } from '../agents/client.ts';
import { serveAgents } from '../agents/service.ts';
import type { AgentsHost, Entry } from '../protocol/agents.ts';

/** `begun` and `ended` count the workers. */
export function memoryAgents(counts: { begun: number; ended: number } = { begun: 0, ended: 0 }): StartAgents {
  return () => {
    counts.begun++;
    const { port1, port2 } = new MessageChannel();
    serveAgents(port2, startNodeConverter);
    return {
      port: port1,
      onDied: () => {},
      terminate() {
        counts.ended++;
        port1.close();
        port2.close();
      },
    };
  };
}

/** A page without a model that keeps the entries it receives. */
export function recordingHost(): { readonly host: AgentsHost; readonly entries: readonly Entry[] } {
  const entries: Entry[] = [];
  const noModel = () => Promise.reject(new Error('no model'));
  const host: AgentsHost = {
    async entries({ from, entries: more }) {
      entries.splice(from, entries.length, ...more);
    },
    ready: noModel,
    write: noModel,
  };
  return { host, entries };
}
