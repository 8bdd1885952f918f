// The worker's side of an open scenario: the page's calls (protocol/agents.ts), each checked before it has an effect. It stores one
// scenario and its last run; to stop, the page terminates the worker.

import { traceOfRun } from '@projected-grpo-lab/are/agents/trace.ts';
import { convertDocuments, type StartConverter } from '@projected-grpo-lab/are/apps/files/documents/converter.ts';
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { MissingAppsError } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import { documentsOf } from '@projected-grpo-lab/are/scenario/schema.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { openRpc, type RpcPort } from '../../lib/rpc.ts';
import type { AgentsCalls, AgentsHost } from '../protocol/agents.ts';
import { CALLS, guarded } from '../protocol/agents-door.ts';
import { WORKER_ERRORS } from '../protocol/wire-error.ts';
import { refusalReason } from './edits.ts';
import { type KeptAgentRun, playRecipe, statesAt } from './play.ts';
import { checkedDraft, type LoadedScenario, loadScenario as loadedParts, openSource } from './scenario.ts';
import { Slices } from './slices.ts';

export function serveAgents(port: RpcPort, startConverter: StartConverter): void {
  let loaded: LoadedScenario | null = null;
  let played: KeptAgentRun | null = null;
  /** Aborts the viewing of the last run when a new run begins. */
  let looking = new AbortController();
  let checking = new AbortController();

  const scenario = (): LoadedScenario => {
    if (!loaded) throw new SpecError('No scenario is open.', 'Generate one, or open a file.');
    return loaded;
  };

  const calls: AgentsCalls = {
    async load({ source, window }) {
      try {
        const opened = await new Slices().through(openSource(source));
        const trace = await convertDocuments(opened.trace, startConverter);
        loaded = await new Slices().through(loadedParts({ ...opened, trace }, window));
      } catch (error) {
        if (!(error instanceof MissingAppsError)) throw error;
        const { missing, message, remedy } = error;
        return { missing, message, remedy };
      }
      played = null;
      return { view: loaded.view };
    },
    async trace({ most }) {
      const { trace } = scenario();
      return JSON.stringify(trace).length <= most ? trace : null;
    },
    async check({ trace }) {
      checking.abort(new SpecError('Another version is being checked.', 'Wait for it.'));
      checking = new AbortController();
      const { events } = await new Slices().through(
        checkedDraft(trace, loaded ? documentsOf(loaded.trace) : undefined),
        checking.signal,
      );
      return { events: events.length };
    },
    async play({ recipe }) {
      looking.abort(new SpecError('Another run is being played.', 'Wait for its end.'));
      const before = played?.kept;
      played = null;
      const run = await playRecipe(scenario(), recipe, { host, ...(before && { before }) });
      played = run;
      return run.view;
    },
    async look({ place }) {
      if (!played) return null;
      looking.abort(new SpecError('Another entry is being read.', 'Wait for it.'));
      looking = new AbortController();
      return statesAt(scenario(), played, place, { signal: looking.signal });
    },
    async refusal({ call }) {
      return played ? refusalReason(played.apps, call) : null;
    },
    async exported() {
      return played && exportedText(scenario(), played);
    },
  };
  const rpc = openRpc<AgentsHost>(port, guarded<AgentsCalls>(CALLS, calls), WORKER_ERRORS);
  const host: AgentsHost = {
    entries: (params) => rpc.call('entries', params),
    ready: (params) => rpc.call('ready', params),
    write: (params) => rpc.call('write', params),
  };
}

function exportedText(
  { trace }: LoadedScenario,
  { recipe, run, environment, verdict, exchanges, view }: KeptAgentRun,
): string {
  const { agent } = recipe;
  // A user's own server is known only in this tab, so not even its model's name is exported.
  const name = agent === 'react-endpoint' ? null : (view.model?.name ?? null);
  const model = view.model && { ...view.model, name, exchanges: exchanges ?? [] };
  return traceText(traceOfRun(trace, { agent, model, run, log: environment.log.list(), verdict }));
}
