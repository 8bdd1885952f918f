// The engine's policy as a `LanguageModel`: frozen adapter parameters that write. What builds a pool or asks a judge then need not know
// whether the lab's engine or an ONNX file writes.
import { keyFor, STREAMS } from '../rng/index.ts';
import type { PromptCodec } from '../text/codec.ts';
import type { Thinking } from '../text/thinking.ts';
import type { AnswerOptions, Generated, LanguageModel, Policy, TokenRequest } from './types.ts';

export interface EngineWriter {
  /** Name for people. */
  id: string;
  policy: Pick<Policy, 'generate' | 'setAdapterParams' | 'initialAdapterParams'>;
  /** Folded in while it writes; the policy is left untrained. Null: whatever is folded in stays. */
  adapterParams: Float32Array | null;
  codec: PromptCodec;
  /** The same as LanguageModel's. */
  thinking?: Thinking;
}

export class EngineLanguageModel implements LanguageModel {
  readonly id: string;
  readonly codec: PromptCodec;
  readonly endTokens: readonly number[];
  readonly thinking?: Thinking;
  readonly #policy: EngineWriter['policy'];
  readonly #adapterParams: Float32Array | null;

  constructor({ id, policy, adapterParams, codec, thinking }: EngineWriter) {
    this.id = id;
    if (thinking) this.thinking = thinking;
    this.codec = codec;
    this.endTokens = codec.endTokens;
    this.#policy = policy;
    this.#adapterParams = adapterParams;
  }

  async generateTokens(request: TokenRequest): Promise<Generated[]> {
    const policy = this.#policy;
    const asked = { ...request, endTokens: request.endTokens ?? this.endTokens };
    if (this.#adapterParams === null) return policy.generate(asked);
    policy.setAdapterParams(this.#adapterParams);
    try {
      return await policy.generate(asked);
    } finally {
      policy.setAdapterParams(policy.initialAdapterParams);
    }
  }

  generate(prompts: readonly string[], options: AnswerOptions): Promise<readonly string[]> {
    return answersOf(this, prompts, options);
  }
}

/** `LanguageModel.generate` of any that samples tokens: prompt i is keyed by (seed, i), and an end is no part of what was said. */
export async function answersOf(
  model: Pick<LanguageModel, 'codec' | 'generateTokens'>,
  prompts: readonly string[],
  { seed, ...settings }: AnswerOptions,
): Promise<readonly string[]> {
  const { codec } = model;
  const answers = await model.generateTokens({
    prompts: prompts.map((prompt) => codec.encodePrompt(prompt)),
    sequences: prompts.map((_, prompt) => ({ prompt, key: keyFor(seed, STREAMS.evaluation, prompt, 0) })),
    ...settings,
  });
  return answers.map(({ tokens, ended }) => codec.decode(ended ? tokens.slice(0, -1) : tokens));
}
