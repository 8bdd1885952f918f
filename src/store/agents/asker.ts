// A model as what an agent asks: in the worker the embedded agent, which goes on from a text, or the loaded model, which answers a
// conversation; or one behind a server that the user names. Its words arrive token by token; what comes after a stop is not waited for.

import { type ChatAnswer, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { isOwnAgent, type ModelAgentName, type Asked as Question } from '../../lab/protocol/agents.ts';
import type { OnnxFile } from '../../lab/protocol/onnx.ts';
import type { PlayAsk } from '../../lab/protocol/playground.ts';
import type { FoundRow, WantedRow } from '../../storage/datasets/row.ts';
import type { StoreContext } from '../context.ts';
import { loadedModel } from '../lab-state.ts';
import { namedServer, type ServerSettings } from './server.ts';

export interface Asked extends Omit<Question, 'act'> {
  /** Whom to ask instead of a model in the worker. */
  server?: ServerSettings | null;
  signal?: AbortSignal;
  onText(soFar: string): void;
}

type Answer = Pick<ChatAnswer, 'text' | 'inputTokens' | 'outputTokens' | 'flaw'>;

export interface Asker {
  /** Makes the agent's model the one that is used; its name. Throws SpecError where it cannot be. */
  ready(agent: ModelAgentName, server?: ServerSettings | null): Promise<string>;
  /** Throws PromptTooLong, StoppedError, or what the worker refuses it with. */
  write(asked: Asked): Promise<Answer>;
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

  function closeOnnx(): void {
    if (onnx?.name) void client.request('closeOnnx').catch(() => {});
  }

  function release(): void {
    store.setState({ heldModel: null });
    closeOnnx();
    if (onnx) onnx.name = null;
  }

  /** Nobody waits any more for what was asked under this name. */
  const stop = (task: string) => void client.request('stopTask', { task }).catch(() => {});

  /** Asks, and stops when the signal is aborted meanwhile. Throws what it was aborted with, or what asking throws. */
  async function untilAborted<T>(task: string, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    const onAbort = () => stop(task);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** An answer that comes whole. */
  function whole(
    task: string,
    { signal, onText }: Asked,
    ask: () => Promise<{ answer: Answer } | { tooLong: string }>,
  ): Promise<Answer> {
    return untilAborted(task, signal, async () => {
      onText('');
      const found = await ask();
      if ('tooLong' in found) throw new PromptTooLong(found.tooLong);
      const { text, inputTokens, outputTokens, flaw } = found.answer;
      onText(text);
      return { text, inputTokens, outputTokens, ...(flaw !== undefined && { flaw }) };
    });
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

  async function write(asked: Asked): Promise<Answer> {
    const { agent, server, ask, stops, seed, temperature, maxNew, signal, onText } = asked;
    const id = `agent-${++count}`;
    const how = { id, seed, temperature };
    if (agent === 'react-onnx') {
      if (typeof ask === 'string') throw new SpecError('An ONNX model answers only conversations.', 'Choose ReAct.');
      return whole(id, asked, () => client.request('askOnnx', { ...how, turns: ask, stop: stops, maxNew }));
    }
    if (server && typeof ask !== 'string') {
      const { base, model, key } = namedServer(server);
      const on = { base, model, key: key === '' ? null : key };
      return whole(id, asked, () =>
        client.request('askServer', { ...how, ...on, turns: ask, stop: stops, maxTokens: maxNew }),
      );
    }
    const said = { text: '', tokens: 0 };
    let isOver = false;
    const unsubscribe = client.subscribe((event) => {
      if (event.type !== 'play' || event.id !== id || isOver) return;
      said.text += event.tokens.map(({ text }) => text).join('');
      said.tokens += event.tokens.length;
      onText(said.text);
      isOver = stops.some((one) => said.text.includes(one));
      if (isOver) stop(id);
    });
    try {
      const [{ completion, tokens, read }] = await untilAborted(id, signal, () =>
        client.request('play', { ...how, maxNew, ask: asPlay(ask), runId: null, models: ['base'] }),
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
    return untilAborted(id, signal, () => client.request('fetchRow', { id, ...wanted }));
  }

  function chooseOnnx(files: readonly OnnxFile[]): void {
    closeOnnx();
    onnx = { files, name: null };
  }

  return { ready, write, row, chooseOnnx, release };
}

const asPlay = (ask: Asked['ask']): PlayAsk =>
  typeof ask === 'string'
    ? { kind: 'text', text: ask }
    : { kind: 'chat', conversations: { base: ask.map(({ role, content: text }) => ({ role, text })) } };
