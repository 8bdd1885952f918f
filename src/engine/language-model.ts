// Presents the engine's policy with frozen adapter parameters as a `LanguageModel`, so that code which builds a pool or asks a judge works
// with the engine or an ONNX file alike.
import { keyFor, STREAMS } from '../rng/index.ts';
import type { PromptCodec } from '../text/codec.ts';
import type { Thinking } from '../text/thinking.ts';
import type { AnswerOptions, Generated, LanguageModel, Policy, TokenRequest } from './types.ts';

export interface EngineWriter {
  /** Display name. */
  id: string;
  policy: Pick<Policy, 'generate' | 'setAdapterParams' | 'initialAdapterParams'>;
  /** Folded in while it generates; afterwards the policy is reset to its initial parameters. Null: the current ones are used and kept. */
  adapterParams: Float32Array | null;
  codec: PromptCodec;
  /** As in LanguageModel. */
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

/** Implements `LanguageModel.generate` with `generateTokens`: prompt i has the key (seed, i), and the end token is omitted. */
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
