// A folder's model as an agent in the compact language, and as the expert of an app.

import { expertOf } from '@projected-grpo-lab/are/augment/expert.ts';
import { type Dialect, FIRST, SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { COMPOSED } from '../../environments/agents/presentation.ts';
import type { CommandContext } from '../command.ts';
import { LanguageAgent, type LanguageModelParts } from './language-agent.ts';
import type { ModelFlags } from './model-flags.ts';
import type { OpenedAgent } from './players.ts';
import { openWriter } from './writer.ts';

/** The second dialect of a model that was pretrained on composed forms; the first of any other. */
function dialectOf(manifest: unknown): Dialect {
  const { command } = (manifest ?? {}) as { command?: unknown };
  return typeof command === 'string' && command.includes(COMPOSED) ? SECOND : FIRST;
}

export async function openLanguageAgent(
  flags: ModelFlags & { readonly model: string },
  context: Pick<CommandContext, 'root' | 'progress' | 'signal'>,
): Promise<OpenedAgent> {
  const { id, generate, config, manifest, words, endTokens, free } = await openWriter(flags, context);
  const { temperature, 'max-calls': maxCalls } = flags;
  const parts: LanguageModelParts = {
    generate,
    codec: words.codec,
    endTokens,
    positions: config.maxPositions,
    dialect: dialectOf(manifest),
    temperature,
    maxCalls,
    signal: context.signal,
  };
  return {
    id,
    name: flags['model-name'] ?? flags.model,
    seeded: (seed) => new LanguageAgent(parts, seed),
    expert: (seed) => expertOf((task) => new LanguageAgent(parts, 1000 * (seed + 1) + task)),
    free,
  };
}
