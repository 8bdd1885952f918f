// Reads any config.json: checks every field against the table, then reads the shape. It is separate from config.ts because the table is
// large and the lab's own models do not need it.
import { architectureOf, type ConfigReading, count, shapeOf } from './config.ts';
import { checkFields, fieldNotes } from './config-fields.ts';
import { flatConfig, HYBRID, hybridShape, plainPart } from './hybrid-config.ts';
import type { ModelConfig } from './types.ts';

/** Throws FormatError, naming what was found, for anything that the engine cannot compute exactly. */
export const parseConfig = (raw: unknown): ModelConfig => readConfig(raw).config;

/** Reads the config, with notes on fields that are ignored. Throws FormatError as `parseConfig` does. */
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
