// A model's config.json as a person gives it: every field is looked up in the table, then its shape is read. Apart from config.ts, since the table
// is large and the lab's own models do without.
import { architectureOf, type ConfigReading, count, shapeOf } from './config.ts';
import { checkFields, fieldNotes } from './config-fields.ts';
import { flatConfig, HYBRID, hybridShape, plainPart } from './hybrid-config.ts';
import type { ModelConfig } from './types.ts';

/** Throws FormatError for anything the engine cannot run faithfully, naming what was found. */
export const parseConfig = (raw: unknown): ModelConfig => readConfig(raw).config;

/** Reads the config and lists what is not followed. Throws FormatError as `parseConfig` does. */
export function readConfig(raw: unknown): ConfigReading {
  const flat = flatConfig(raw);
  const architecture = architectureOf(flat);
  const json = flat as Readonly<Record<string, unknown>>;
  checkFields(json, architecture);
  const fields = fieldNotes(json, architecture);
  if (architecture !== HYBRID) {
    const { config, notes } = shapeOf(json);
    return { config, notes: [...fields, ...notes] };
  }
  const plain = shapeOf(plainPart(json));
  const { config, notes } = hybridShape(json, plain.config, count);
  return { config, notes: [...fields, ...plain.notes, ...notes] };
}
