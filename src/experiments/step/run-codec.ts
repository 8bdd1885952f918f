// The model's codec as one run writes its prompts.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { loadTemplates } from '../../text/prompts.ts';
import { promptSettingsOf } from '../config/options/prompts.ts';
import type { RunSpec } from '../config/run-spec.ts';

/** Throws SpecError for a codec that writes in one way alone. */
export async function runCodec(codec: PromptCodec, run: RunSpec): Promise<PromptCodec> {
  const settings = promptSettingsOf(run);
  if (Object.keys(settings).length === 0) return codec;
  if (!codec.withPrompts)
    throw new SpecError(
      'chatTemplate is set, and this model’s prompts are written in one way alone.',
      'Set it to own.',
    );
  await loadTemplates();
  return codec.withPrompts(settings);
}
