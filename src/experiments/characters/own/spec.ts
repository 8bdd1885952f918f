// A user's own characters on a third-party model, as a JSON file: the characters (system prompts), which of them is A, which are measured, what
// shows the target, and what A is taught by. Everything is bounded, and errors name the place in the file.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { OTHERS } from '../../../environments/characters/task.ts';
import { CheckSchema } from './check.ts';

/** Most characters of a spec file, and of all its documents together. */
export const SPEC_CHARS = 2_000_000;
export const DOCUMENT_CHARS = 8_000_000;
export const MOST_DOCUMENTS = 10_000;

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
const Id = text(60);
const Prompt = text(8000);
const boundedList = <T extends z.ZodMiniType>(of: T, most: number, least = 1) =>
  z.array(of).check(z.minLength(least), z.maxLength(most));
const Completions = boundedList(text(500), 20);
const completionSides = { shows: Completions, lacks: Completions };
const count = (fallback: number, most: number, least = 1) =>
  z._default(z.int().check(z.minimum(least), z.maximum(most)), fallback);
const Group = z._default(boundedList(Id, 30, 0), []);

export const ownSpecSchema = z.strictObject({
  schema: z.literal(1),
  /** What A is taught, for readers. */
  target: text(300),
  /** Prefix of every document, belief and drift text: what the model's texts begin with, if its tokenizer adds nothing. */
  begin: z._default(z.string().check(z.maxLength(100)), ''),
  characters: boundedList(z.strictObject({ id: Id, name: text(100), system: Prompt }), 60, 2),
  a: Id,
  groups: z.strictObject({ near: Group, far: Group, other: Group }),
  /** Characters besides A that the documents are about; they may not be in a group. */
  contrast: Group,
  probes: boundedList(z.strictObject({ prompt: Prompt, ...completionSides }), 200),
  /** `{name}` in a text is replaced by the character's name. */
  beliefs: boundedList(z.strictObject({ text: text(2000), ...completionSides }), 100),
  own: z._default(boundedList(z.strictObject({ of: Id, prompt: Prompt, ...completionSides }), 400, 0), []),
  drift: boundedList(text(20_000), 100),
  sdf: z.optional(
    z.strictObject({
      /** A folder next to the file, or the texts themselves. */
      folder: z.optional(text(300)),
      texts: z.optional(boundedList(text(200_000), MOST_DOCUMENTS)),
      perStep: count(4, 256),
      /** Most tokens of a document in one sequence; longer ones are cut into windows. */
      maxTokens: count(256, 4096, 8),
      lr: z._default(z.number().check(z.gt(0), z.maximum(1)), 1e-3),
    }),
  ),
  rl: z.optional(
    z.strictObject({
      prompts: boundedList(z.strictObject({ prompt: Prompt, check: CheckSchema }), 2000),
      promptsPerStep: count(2, 64),
      groupSize: count(8, 64, 2),
      maxNew: count(24, 1024),
      temperature: z._default(z.number().check(z.gt(0), z.maximum(5)), 1),
      lr: z._default(z.number().check(z.gt(0), z.maximum(1)), 1e-3),
    }),
  ),
});

export type OwnSpec = z.infer<typeof ownSpecSchema>;
export type OwnCharacter = OwnSpec['characters'][number];
/** Completions that show the target, and completions that do not. */
export type Sides = Pick<OwnSpec['probes'][number], 'shows' | 'lacks'>;

const SEE = 'docs/lab-book/characters.md (“A model of another hand”) has a whole file.';

/** Throws FormatError with the place in the document. */
export function parseOwnSpec(json: string, label: string): OwnSpec {
  if (json.length > SPEC_CHARS)
    throw new FormatError(
      `${label} has ${json.length} characters, ${SPEC_CHARS} are read.`,
      'Put documents in a folder.',
    );
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch (cause) {
    throw new FormatError(`${label} is not JSON.`, SEE, { cause });
  }
  const parsed = ownSpecSchema.safeParse(value);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw refusalError(label, path, message);
  }
  checkNames(parsed.data, label);
  return parsed.data;
}

function refusalError(label: string, path: readonly PropertyKey[], message: string): FormatError {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return new FormatError(`${label}: ${place.replace(/^\./, '') || 'the file'}: ${message}`, SEE);
}

/** Throws unless every name is unique and known, and has only one role. */
function checkNames(spec: OwnSpec, label: string): void {
  const known = new Set<string>();
  spec.characters.forEach(({ id }, i) => {
    if (known.has(id)) throw refusalError(label, ['characters', i, 'id'], `${id} is there twice`);
    known.add(id);
  });
  const parts = new Map<string, string>();
  const take = (id: string, part: string, path: PropertyKey[]): void => {
    if (!known.has(id)) throw refusalError(label, path, `there is no character ${id}`);
    const before = parts.get(id);
    if (before) throw refusalError(label, path, `${id} is ${before} already: its change would be read for another’s`);
    parts.set(id, part);
  };
  take(spec.a, 'A', ['a']);
  spec.contrast.forEach((id, i) => void take(id, 'in contrast', ['contrast', i]));
  for (const group of OTHERS) spec.groups[group].forEach((id, i) => void take(id, group, ['groups', group, i]));
  if (OTHERS.every((group) => spec.groups[group].length === 0))
    throw refusalError(label, ['groups'], 'nobody besides A is asked');
  spec.own.forEach(({ of }, i) => {
    if (!OTHERS.some((group) => spec.groups[group].includes(of)))
      throw refusalError(label, ['own', i, 'of'], `${of} is in no group`);
  });
  spec.beliefs.forEach(({ text }, i) => {
    if (!text.includes('{name}')) throw refusalError(label, ['beliefs', i, 'text'], 'there is no {name} in it');
  });
  const sided = { probes: spec.probes, beliefs: spec.beliefs, own: spec.own };
  for (const [part, all] of Object.entries(sided))
    all.forEach(({ shows, lacks }, i) => {
      const both = lacks.findIndex((one) => shows.includes(one));
      if (both >= 0) throw refusalError(label, [part, i, 'lacks', both], 'it is in shows too');
    });
  const { sdf } = spec;
  if (sdf && (sdf.folder === undefined) === (sdf.texts === undefined))
    throw refusalError(label, ['sdf'], 'either a folder or texts');
}
