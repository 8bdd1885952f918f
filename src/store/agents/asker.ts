// The models that an agent can ask: the embedded agent in the worker, which continues a text; the loaded model, which answers a
// conversation; or a model behind a server that the user names. Text arrives token by token. Text after a stop sequence is ignored.

import { type ChatAnswer, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { isOwnAgent, type ModelAgentName, type AgentQuestion as Question } from '../../lab/protocol/agents.ts';
import type { OnnxFile } from '../../lab/protocol/onnx.ts';
import type { PlayAsk } from '../../lab/protocol/playground.ts';
import type { FoundRow, WantedRow } from '../../storage/datasets/row.ts';
import type { StoreContext } from '../context.ts';
import { loadedModel } from '../lab-state.ts';
import { namedServer, type ServerSettings } from './server.ts';

export interface ModelQuestion extends Omit<Question, 'act'> {
  /** Server to ask instead of a model in the worker. */
  server?: ServerSettings | null;
  signal?: AbortSignal;
  onText(soFar: string): void;
}

type Answer = Pick<ChatAnswer, 'text' | 'inputTokens' | 'outputTokens' | 'flaw'>;

export interface Asker {
  /** Loads the agent's model and returns its name. Throws SpecError if that is not possible. */
  ready(agent: ModelAgentName, server?: ServerSettings | null): Promise<string>;
  /** Throws PromptTooLong, StoppedError, or the worker's error. */
  write(question: ModelQuestion): Promise<Answer>;
  /** Fetches a row of a data set on the Hub that the user requested. */
  row(wanted: WantedRow, signal: AbortSignal): Promise<FoundRow>;
  /** Sets the model files of the agent that plays by an ONNX model. They are opened at its first question. */
  chooseOnnx(files: readonly OnnxFile[]): void;
  /** Lets the form choose the loaded model again. */
  release(): void;
}

interface AskerPorts {
  context: Pick<StoreContext, 'client' | 'store'>;
  /** Loads the model that the form or a view requires. */
  follow(): Promise<void>;
  loadEmbedded(id: string): Promise<boolean>;
}

export function createAsker({ context: { client, store }, follow, loadEmbedded }: AskerPorts): Asker {
  let count = 0;
  /** `name` is null until the model is open. */
  let onnx: { readonly files: readonly OnnxFile[]; name: string | null } | null = null;

  function closeOnnx(): void {
    if (onnx?.name) void client.request('closeOnnx').catch(() => {});
  }

  function release(): void {
    store.setState({ heldModel: null });
    closeOnnx();
    if (onnx) onnx.name = null;
  }

  /** Stops the worker's task with this name. */
  const stop = (task: string) => void client.request('stopTask', { task }).catch(() => {});

  /** Calls `ask`, and stops the task when the signal aborts. Throws the signal's reason, or the error of `ask`. */
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

  /** Asks for an answer that arrives all at once, without streaming. */
  function whole(
    task: string,
    { signal, onText }: ModelQuestion,
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

  async function write(question: ModelQuestion): Promise<Answer> {
    const { agent, server, ask, stops, seed, temperature, maxNew, signal, onText } = question;
    const id = `agent-${++count}`;
    const how = { id, seed, temperature };
    if (agent === 'react-onnx') {
      if (typeof ask === 'string') throw new SpecError('An ONNX model answers only conversations.', 'Choose ReAct.');
      return whole(id, question, () => client.request('askOnnx', { ...how, turns: ask, stop: stops, maxNew }));
    }
    if (server && typeof ask !== 'string') {
      const { base, model, key } = namedServer(server);
      const on = { base, model, key: key === '' ? null : key };
      return whole(id, question, () =>
        client.request('askServer', { ...how, ...on, turns: ask, stop: stops, maxTokens: maxNew }),
      );
    }
    const answer = { text: '', tokens: 0 };
    let isOver = false;
    const unsubscribe = client.subscribe((event) => {
      if (event.type !== 'play' || event.id !== id || isOver) return;
      answer.text += event.tokens.map(({ text }) => text).join('');
      answer.tokens += event.tokens.length;
      onText(answer.text);
      isOver = stops.some((one) => answer.text.includes(one));
      if (isOver) stop(id);
    });
    try {
      const [{ completion, tokens, read }] = await untilAborted(id, signal, () =>
        client.request('play', { ...how, maxNew, ask: toPlayAsk(ask), runId: null, models: ['base'] }),
      );
      // The completion does not include the markup that ended it.
      onText(completion);
      return { text: completion, inputTokens: read, outputTokens: tokens };
    } catch (error) {
      // The worker does not report input tokens of a stopped answer.
      if (isOver && error instanceof StoppedError)
        return { text: answer.text, inputTokens: 0, outputTokens: answer.tokens };
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

const toPlayAsk = (ask: ModelQuestion['ask']): PlayAsk =>
  typeof ask === 'string'
    ? { kind: 'text', text: ask }
    : { kind: 'chat', conversations: { base: ask.map(({ role, content: text }) => ({ role, text })) } };
