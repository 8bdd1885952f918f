// A scenario that is open in a worker of its own. It is opened once, and again after the worker was ended to stop a run. The stage answers
// the worker's requests: entries go into the store, and questions to a model go to the asker.

import { PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type AgentsWorker, openAgents, type StartAgents } from '../../lab/agents/client.ts';
import type {
  AgentsHost,
  PlayedRun,
  Recipe,
  ScenarioSource,
  ScenarioView,
  WindowName,
} from '../../lab/protocol/agents.ts';
import type { Asker } from './asker.ts';
import type { ServerSettings } from './server.ts';
import type { AreStore } from './state.ts';

export interface Stage {
  /** The scenario, read on the first call. Rejects with a description of the error, or if the stage is closed. */
  opened(): Promise<ScenarioView>;
  /** The worker, as soon as the scenario is open in it. */
  worker(): Promise<AgentsWorker>;
  /** Plays a run. All of its entries are in the store when the promise resolves. */
  play(recipe: Recipe, server: ServerSettings | null): Promise<PlayedRun>;
  /** Ends the worker, whatever it is doing. The next call starts another one. */
  end(): void;
  /** Ends the worker permanently. */
  close(): void;
}

interface StagePorts {
  store: AreStore;
  asker(): Asker | null;
}

interface StartedStage {
  worker: AgentsWorker;
  opening: Promise<ScenarioView>;
  /** Aborts the worker's questions to a model. */
  asking: AbortController;
}

export function createStage(
  start: StartAgents,
  params: { source: ScenarioSource; window: WindowName },
  { store, asker }: StagePorts,
): Stage {
  let begun: StartedStage | null = null;
  let isClosed = false;
  /** Server of the run that is being played. */
  let server: ServerSettings | null = null;

  function hostOf(signal: AbortSignal): AgentsHost {
    const needed = (): Asker => {
      const found = asker();
      if (!found) throw new SpecError('An agent with a model needs the lab.', 'Wait until the lab is ready.');
      return found;
    };
    return {
      async entries({ from, entries }) {
        if (!signal.aborted) store.setState((state) => ({ entries: [...state.entries.slice(0, from), ...entries] }));
      },
      ready: async ({ agent }) => needed().ready(agent, server),
      async write({ act, ...asked }) {
        const onText = (text: string) => {
          if (!signal.aborted) store.setState(({ written }) => ({ written: new Map(written).set(act, text) }));
        };
        try {
          return await needed().write({ ...asked, server, signal, onText });
        } catch (error) {
          if (!(error instanceof PromptTooLong)) throw error;
          return { tooLong: error.message };
        }
      },
    };
  }

  function begin(): StartedStage {
    if (isClosed) throw new SpecError('The scenario was closed.', 'Open it again.');
    const asking = new AbortController();
    const worker = openAgents(start, hostOf(asking.signal), () => {
      asking.abort();
      if (begun?.asking === asking) begun = null;
    });
    const opening = worker.load(params);
    // Callers receive the failure. If there are none, it must not be reported as an unhandled rejection.
    opening.catch(() => {});
    return { worker, opening, asking };
  }

  const now = (): StartedStage => {
    begun ??= begin();
    return begun;
  };

  async function worker(): Promise<AgentsWorker> {
    const { worker: found, opening } = now();
    await opening;
    return found;
  }

  function end(): void {
    begun?.asking.abort();
    begun?.worker.close();
    begun = null;
  }

  return {
    opened: async () => now().opening,
    worker,
    async play(recipe, given) {
      server = given;
      return (await worker()).play({ recipe });
    },
    end,
    close() {
      isClosed = true;
      end();
    },
  };
}
