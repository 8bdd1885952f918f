// The models that a reward may ask, by role. `anchor` always exists: it is the run's own policy with its initial adapter parameters, which is
// the base bit for bit, so the frozen initial model needs no second copy. It is also the synthesiser, unless the host gave another. Models
// that the host gave (a judge, a synthesiser) come from the environment. Every call is counted in tokens for the step's timing.

import { ownOf, setOwn } from '@projected-grpo-lab/base/own.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { Policy, Sequence, TokenRequest } from '../../engine/types.ts';
import type { HandledModel, ModelHandles, ModelRole } from '../../environments/types.ts';
import { sum } from '../../stats/index.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Thinking } from '../../text/thinking.ts';
import type { ModelCost } from '../records/events.ts';

/** Tokens read and written by the models, by role. */
export class ModelMeter {
  readonly #costs: Record<string, ModelCost> = {};

  count(role: string, read: number, written: number): void {
    const before = ownOf(this.#costs, role) ?? { calls: 0, read: 0, written: 0 };
    setOwn(this.#costs, role, { calls: before.calls + 1, read: before.read + read, written: before.written + written });
  }

  /** Empty if no model was asked. */
  get costs(): { models?: Record<string, ModelCost> } {
    return Object.keys(this.#costs).length > 0 ? { models: { ...this.#costs } } : {};
  }
}

interface HandlePorts {
  policy: Policy;
  codec: PromptCodec;
  /** The run's current adapter parameters, restored after every call. */
  adapterParams: Float32Array;
  /** Models of the environment, besides the anchor. */
  given: ModelHandles;
  /** Whether thoughts are cut off the anchor's texts. */
  thinking?: Thinking;
  meter?: ModelMeter;
}

/** Handles for one step or one evaluation, during which the policy's adapter parameters are `adapterParams`. */
export function modelHandles({
  policy,
  codec,
  adapterParams,
  given,
  thinking,
  meter = new ModelMeter(),
}: HandlePorts): ModelHandles {
  const made = new Map<ModelRole, HandledModel | undefined>();
  // One anchor for both roles, because its calls must wait for each other.
  let anchor: AnchorModel | null = null;
  const open = (role: ModelRole): HandledModel | undefined => {
    let model = role === 'anchor' ? undefined : given.get(role);
    if (role === 'anchor' || (role === 'synthesiser' && !model))
      model = anchor ??= new AnchorModel(policy, codec, adapterParams, thinking);
    return model && new CountedModel(model, role, meter);
  };
  return {
    get(role) {
      if (!made.has(role)) made.set(role, open(role));
      return made.get(role);
    },
  };
}

/** The policy before its first step. Calls wait for each other, since only one set of adapter parameters can be active. */
class AnchorModel extends EngineLanguageModel implements HandledModel {
  readonly room: number;
  readonly #policy: Policy;
  readonly #adapterParams: Float32Array;
  #last: Promise<unknown> = Promise.resolve();

  constructor(policy: Policy, codec: PromptCodec, adapterParams: Float32Array, thinking?: Thinking) {
    super({ id: 'anchor', policy, adapterParams: null, codec, thinking });
    this.room = policy.config.maxPositions;
    this.#policy = policy;
    this.#adapterParams = adapterParams;
  }

  override generateTokens(request: TokenRequest) {
    return this.#untrained(() => super.generateTokens(request));
  }

  logprobs(sequences: readonly Omit<Sequence, 'segment'>[], signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#untrained(async () => {
      const batch = await this.#policy.score(
        sequences.map((sequence) => ({ ...sequence, segment: 0 })),
        1,
        signal,
      );
      batch.free();
      return batch.logprobs.map((row) => row.slice());
    });
  }

  #untrained<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      this.#policy.setAdapterParams(this.#policy.initialAdapterParams);
      try {
        return await work();
      } finally {
        this.#policy.setAdapterParams(this.#adapterParams);
      }
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** A model with its calls counted. */
class CountedModel implements HandledModel {
  readonly id: string;
  readonly codec: HandledModel['codec'];
  readonly endTokens: readonly number[];
  readonly room?: number;
  readonly thinking?: Thinking;
  readonly generateTokens: HandledModel['generateTokens'];
  readonly generate: HandledModel['generate'];
  readonly logprobs?: NonNullable<HandledModel['logprobs']>;

  constructor(model: HandledModel, role: string, meter: ModelMeter) {
    this.id = model.id;
    this.codec = model.codec;
    this.endTokens = model.endTokens;
    if (model.room !== undefined) this.room = model.room;
    if (model.thinking) this.thinking = model.thinking;
    this.generateTokens = async (request) => {
      const written = await model.generateTokens(request);
      meter.count(role, sum(request.prompts.map(({ length }) => length)), sum(written.map((one) => one.tokens.length)));
      return written;
    };
    this.generate = async (prompts, options) => {
      const answers = await model.generate(prompts, options);
      const tokens = (texts: readonly string[]) => sum(texts.map((text) => model.codec.encode(text).length));
      meter.count(role, tokens(prompts), tokens(answers));
      return answers;
    };
    const { logprobs } = model;
    if (!logprobs) return;
    this.logprobs = async (sequences, signal) => {
      const rows = await logprobs.call(model, sequences, signal);
      meter.count(role, sum(sequences.map(({ prompt, completion }) => prompt.length + completion.length)), 0);
      return rows;
    };
  }
}
