// A loaded model, untrained, as whoever asks models sees it: it writes, and says how likely it finds a text.
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { Policy } from '../../engine/types.ts';
import type { HandledModel } from '../../environments/types.ts';
import type { PromptCodec } from '../../text/types.ts';

export function engineHandle(policy: Policy, codec: PromptCodec, endTokens: readonly number[]): HandledModel {
  const writer = new EngineLanguageModel({
    id: 'anchor',
    policy,
    adapterParams: null,
    codec,
    endTokens: endTokens.slice(0, 2),
  });
  return {
    ...{ id: writer.id, codec, endTokens: writer.endTokens, room: policy.config.maxPositions },
    generateTokens: (request) => writer.generateTokens(request),
    generate: (prompts, options) => writer.generate(prompts, options),
    async logprobs(sequences, signal) {
      const batch = await policy.score(
        sequences.map((sequence) => ({ ...sequence, segment: 0 })),
        1,
        signal,
      );
      batch.free();
      return batch.logprobs.map((row) => row.slice());
    },
  };
}
