// A model's config.json as a person gives it: every field is looked up in the table, then its shape is read. Apart from config.ts, since the table
// is large and the lab's own models do without.
import { architectureOf, type ConfigReading, shapeOf } from './config.ts';
import { checkFields, fieldNotes } from './config-fields.ts';
import type { ModelConfig } from './types.ts';

/** Throws FormatError for anything the engine cannot run faithfully, naming what was found. */
export const parseConfig = (raw: unknown): ModelConfig => readConfig(raw).config;

/** Reads the config and lists what is not followed. Throws FormatError as `parseConfig` does. */
export function readConfig(raw: unknown): ConfigReading {
  const architecture = architectureOf(raw);
  const json = raw as Readonly<Record<string, unknown>>;
  checkFields(json, architecture);
  const { config, notes } = shapeOf(raw);
  return { config, notes: [...fieldNotes(json, architecture), ...notes] };
}
