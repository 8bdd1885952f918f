// Refuses prompts that contain the placeholder tokens of images or videos: as images are not read, the model would read them as words.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { PromptCodec } from './codec.ts';

const FIELDS = ['image_token_id', 'video_token_id'] as const;

/** Wraps the codec of a model that was trained with images. `config` is its config.json, unchanged. `label` names the model in errors. */
export function withoutImages(codec: PromptCodec, config: unknown, label: string): PromptCodec {
  const { text_config, ...outer } = (config ?? {}) as Record<string, unknown>;
  const named = [outer, text_config ?? {}].flatMap((json) =>
    FIELDS.map((field) => [(json as Record<string, unknown>)[field], field] as const),
  );
  const reserved = new Map(named.filter(([id]) => typeof id === 'number'));
  const checked = (ids: number[]): number[] => {
    const found = ids.find((id) => reserved.has(id));
    if (found === undefined) return ids;
    throw new FormatError(
      `${label}: the prompt has the token ${found} (${reserved.get(found)}), and images are not read.`,
      'Take the image or video out of the prompt, or its marker.',
    );
  };
  return {
    ...codec,
    encode: (text) => checked(codec.encode(text)),
    encodeChat: (text) => checked(codec.encodeChat(text)),
    encodePrompt: (text) => checked(codec.encodePrompt(text)),
  };
}
