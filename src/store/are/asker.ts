// A model as what an agent asks: in the worker the embedded agent, which goes on from a text, or the loaded model, which answers a
// conversation; or one behind a server that the user names. Its words arrive token by token; what comes after a stop is not waited for.

import { type ChatTurn, PromptTooLong } from '@projected-grpo-lab/are/agents/react/model.ts';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { isOwnAgent, type ModelAgentName } from '../../lab/protocol/agents.ts';
import type { PlayAsk } from '../../lab/protocol/playground.ts';
import type { FoundRow, WantedRow } from '../../storage/datasets/row.ts';
import type { StoreContext } from '../context.ts';
import { loadedModel } from '../lab-state.ts';
import { askServer, type HowAsked, namedServer, type ServerSettings } from './server.ts';

export interface Asked extends HowAsked {
  /** Where a text is gone on from, or a conversation. */
  ask: string | readonly ChatTurn[];
  /** Whom to ask instead of a model in the worker. */
  server?: ServerSettings | null;
}

export interface Asker {
  /** Makes the agent's model the one that is used; its name. Throws SpecError where it cannot be. */
  ready(agent: ModelAgentName, server?: ServerSettings | null): Promise<string>;
  /** Throws PromptTooLong, StoppedError, or what the worker refuses it with. */
  write(asked: Asked): Promise<{ text: string; inputTokens: number; outputTokens: number }>;
  /** A row of a data set on the Hub, where the reader has asked for it. */
  row(wanted: WantedRow, signal: AbortSignal): Promise<FoundRow>;
  /** The form's model comes back. */
  release(): void;
}

interface AskerPorts {
  context: Pick<StoreContext, 'client' | 'store'>;
  /** Opens what the form, or a view, wants. */
  follow(): Promise<void>;
  loadEmbedded(id: string): Promise<boolean>;
}

export function createAsker({ context: { client, store }, follow, loadEmbedded }: AskerPorts): Asker {
  let count = 0;
  const release = () => store.setState({ heldModel: null });

  async function ready(agent: ModelAgentName, server?: ServerSettings | null): Promise<string> {
    if (agent === 'react-endpoint') return namedServer(server).model;
    if (isOwnAgent(agent)) {
      store.setState({ heldModel: agent });
      await follow();
      if (loadedModel(store.getState())?.id !== agent) await loadEmbedded(agent);
    } else {
      release();
      await follow();
    }
    const model = loadedModel(store.getState());
    if (isOwnAgent(agent) && model?.id !== agent)
      throw new SpecError('The small agent could not be loaded.', 'Wait for the experiment in work, and run it again.');
    if (!model) throw new SpecError('No model is loaded yet.', 'Wait until the lab is ready.');
    if (agent === 'react' && !model.hasChatTemplate)
      throw new SpecError(`${model.id} has no chat template.`, 'Load another model under Library, Models.');
    return model.id;
  }

  async function write({ server, ...asked }: Asked) {
    const { ask, stops, signal, onText, ...settings } = asked;
    const id = `agent-${++count}`;
    if (server && typeof ask !== 'string') return askServer(client, id, server, ask, asked);
    const [said, wanted] = [{ text: '', tokens: 0 }, asPlay(ask)];
    let isOver = false;
    const stop = () => void client.request('stopPlay', { id }).catch(() => {});
    const unsubscribe = client.subscribe((event) => {
      if (event.type !== 'play' || event.id !== id || isOver) return;
      said.text += event.tokens.map(({ text }) => text).join('');
      said.tokens += event.tokens.length;
      onText(said.text);
      isOver = stops.some((one) => said.text.includes(one));
      if (isOver) stop();
    });
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      const [{ completion, tokens, read }] = await client.request('play', {
        ...{ id, ask: wanted, runId: null, models: ['base'], ...settings },
      });
      // Without the markup that ended it.
      onText(completion);
      return { text: completion, inputTokens: read, outputTokens: tokens };
    } catch (error) {
      signal?.throwIfAborted();
      // What it read is not told of an answer that was cut.
      if (isOver && error instanceof StoppedError)
        return { text: said.text, inputTokens: 0, outputTokens: said.tokens };
      if (error instanceof SpecError && / positions\.$/.test(error.message)) throw new PromptTooLong(error.message);
      throw error;
    } finally {
      unsubscribe();
      signal?.removeEventListener('abort', stop);
    }
  }

  async function row(wanted: WantedRow, signal: AbortSignal): Promise<FoundRow> {
    const id = `row-${++count}`;
    const stop = () => void client.request('stopServer', { id }).catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await client.request('fetchRow', { id, ...wanted });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  return { ready, write, row, release };
}

const asPlay = (ask: Asked['ask']): PlayAsk =>
  typeof ask === 'string'
    ? { kind: 'text', text: ask }
    : { kind: 'chat', conversations: { base: ask.map(({ role, content: text }) => ({ role, text })) } };
