// A model as what an agent asks: in the worker the embedded agent, which goes on from a text, or the loaded model, which answers a
// conversation; or one behind a server that the user names. Its words arrive token by token; what comes after a stop is not waited for.

import { type ChatTurn, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { isOwnAgent, type ModelAgentName } from '../../lab/protocol/agents.ts';
import type { OnnxFile } from '../../lab/protocol/onnx.ts';
import type { PlayAsk } from '../../lab/protocol/playground.ts';
import type { FoundRow, WantedRow } from '../../storage/datasets/row.ts';
import type { StoreContext } from '../context.ts';
import { loadedModel } from '../lab-state.ts';
import { type HowAsked, stopperOf, untilAborted } from './asking.ts';
import { askServer, namedServer, type ServerSettings } from './server.ts';

export interface Asked extends HowAsked {
  /** Where a text is gone on from, or a conversation. */
  ask: string | readonly ChatTurn[];
  agent: ModelAgentName;
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
  /** The files of a model for the agent that plays by an ONNX file; opened when it is first asked. */
  chooseOnnx(files: readonly OnnxFile[]): void;
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
  /** `name`: once it has been opened. */
  let onnx: { readonly files: readonly OnnxFile[]; name: string | null } | null = null;

  function release(): void {
    store.setState({ heldModel: null });
    if (onnx?.name) void client.request('closeOnnx', null).catch(() => {});
    if (onnx) onnx.name = null;
  }

  async function readyOnnx(): Promise<string> {
    if (!onnx)
      throw new SpecError(
        'No ONNX model is chosen.',
        'Choose its files under Agent: config.json, tokenizer.json, tokenizer_config.json and the .onnx file.',
      );
    onnx.name ??= (await client.request('openOnnx', { files: onnx.files })).name;
    return onnx.name;
  }

  async function writeOnnx(id: string, { ask, stops, seed, temperature, maxNew, signal, onText }: Asked) {
    if (typeof ask === 'string') throw new SpecError('An ONNX model answers only conversations.', 'Choose ReAct.');
    return untilAborted(signal, stopperOf(client, 'stopOnnx', id), async () => {
      onText('');
      const found = await client.request('askOnnx', { id, turns: ask, stop: stops, seed, temperature, maxNew });
      if ('tooLong' in found) throw new PromptTooLong(found.tooLong);
      onText(found.answer.text);
      return found.answer;
    });
  }

  async function ready(agent: ModelAgentName, server?: ServerSettings | null): Promise<string> {
    if (agent === 'react-onnx') return readyOnnx();
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
      throw new SpecError(
        'The small agent could not be loaded.',
        'Wait until the running experiment ends, then run it again.',
      );
    if (!model) throw new SpecError('No model is loaded yet.', 'Wait until the lab is ready.');
    if (agent === 'react' && !model.hasChatTemplate)
      throw new SpecError(`${model.id} has no chat template.`, 'Load another model under Library, Models.');
    return model.id;
  }

  async function write({ server, agent, ...asked }: Asked) {
    const { ask, stops, signal, onText, ...settings } = asked;
    const id = `agent-${++count}`;
    if (agent === 'react-onnx') return writeOnnx(id, { agent, ...asked });
    if (server && typeof ask !== 'string') return askServer(client, id, server, ask, asked);
    const [said, wanted] = [{ text: '', tokens: 0 }, asPlay(ask)];
    let isOver = false;
    const stop = stopperOf(client, 'stopPlay', id);
    const unsubscribe = client.subscribe((event) => {
      if (event.type !== 'play' || event.id !== id || isOver) return;
      said.text += event.tokens.map(({ text }) => text).join('');
      said.tokens += event.tokens.length;
      onText(said.text);
      isOver = stops.some((one) => said.text.includes(one));
      if (isOver) stop();
    });
    try {
      const [{ completion, tokens, read }] = await untilAborted(signal, stop, () =>
        client.request('play', { id, ask: wanted, runId: null, models: ['base'], ...settings }),
      );
      // Without the markup that ended it.
      onText(completion);
      return { text: completion, inputTokens: read, outputTokens: tokens };
    } catch (error) {
      // What it read is not told of an answer that was cut.
      if (isOver && error instanceof StoppedError)
        return { text: said.text, inputTokens: 0, outputTokens: said.tokens };
      if (error instanceof SpecError && / positions\.$/.test(error.message)) throw new PromptTooLong(error.message);
      throw error;
    } finally {
      unsubscribe();
    }
  }

  function row(wanted: WantedRow, signal: AbortSignal): Promise<FoundRow> {
    const id = `row-${++count}`;
    return untilAborted(signal, stopperOf(client, 'stopServer', id), () =>
      client.request('fetchRow', { id, ...wanted }),
    );
  }

  function chooseOnnx(files: readonly OnnxFile[]): void {
    if (onnx?.name) void client.request('closeOnnx', null).catch(() => {});
    onnx = { files, name: null };
  }

  return { ready, write, row, chooseOnnx, release };
}

const asPlay = (ask: Asked['ask']): PlayAsk =>
  typeof ask === 'string'
    ? { kind: 'text', text: ask }
    : { kind: 'chat', conversations: { base: ask.map(({ role, content: text }) => ({ role, text })) } };
