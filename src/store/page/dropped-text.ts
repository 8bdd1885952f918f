// Determines what a dropped JSON or JSON-lines file contains, by its fields, because many tools use the same file names. Files that the lab
// can read go to their reader, which reports errors in them. Any other file is identified by name. Loaded with the first such file.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { fileKind, HEAD_BYTES } from '../../lib/file-kind.ts';
import { gunzip } from '../../lib/gunzip.ts';

/** A reader of the lab. */
export type Reader = 'pairs' | 'pool' | 'problems' | 'table' | 'log' | 'sweep' | 'scenario';

export type Held =
  /** `file` is the file for the reader, unpacked if the reader does not read gzip. */
  | { reader: Reader; file: File }
  /** `name` completes the sentence "this is NAME". Without a remedy the list of files that the lab reads is shown. */
  | { reader: null; name: string; remedy?: string };

const MiB = 2 ** 20;
/** JSON files up to this size are parsed completely, and the first rows of JSON lines are searched for within it. */
const MOST = 32 * MiB;
/** Maximum number of unpacked bytes of gzip. No pool is larger, although a table may be. */
const MOST_UNPACKED = 64 * MiB;

type Fields = Readonly<Record<string, unknown>>;

const has = (fields: Fields, ...names: string[]): boolean => names.every((name) => Object.hasOwn(fields, name));
const hasOne = (fields: Fields, ...names: string[]): boolean => names.some((name) => Object.hasOwn(fields, name));

/** Fields that only a grader produces. */
const GRADES = ['reward', 'passed', 'gt_correct', 'exploited'];

/** The reader for rows like this one. */
function ofRow(row: Fields, file: File): Held {
  if (hasOne(row, 'hack', 'clean')) return { reader: 'pairs', file };
  if (has(row, 'checks') || has(row, 'gt_answer')) return { reader: 'problems', file };
  const isGraded = hasOne(row, 'completion', 'problem_id') && hasOne(row, ...GRADES);
  // The pool's reader reports which of its fields are missing.
  if (isGraded || (has(row, 'problem_id') && !has(row, 'completion'))) return { reader: 'pool', file };
  if (has(row, 'completion') && hasOne(row, 'problem_id', 'problemId', 'problem') && !has(row, 'prompt'))
    return {
      reader: null,
      name: 'a file of answers without grades',
      remedy:
        'Grade them on the command line: npm run lab -- grade FILE. A teacher pool has graded answers: problem_id, prompt, completion, reward, passed, gt_correct, exploited, mechanism.',
    };
  if (has(row, 'role', 'content'))
    return {
      reader: null,
      name: 'one chat, a list of role and content',
      remedy: 'A data set has a row for each prompt; the lab trains on a prompt, and not on a chat that has ended.',
    };
  return { reader: 'table', file };
}

const MODEL_PART = 'Drop the whole folder of the model: config.json, its safetensors and its tokenizer.';

/** Objects are identified by their fields; the first match is used. */
const OBJECTS: readonly { of: (fields: Fields) => boolean; reader?: Reader; name?: string; remedy?: string }[] = [
  { of: (fields) => has(fields, 'eval', 'status'), reader: 'log' },
  {
    of: (fields) =>
      String(fields.version).startsWith('are_') || has(fields, 'metadata', 'apps') || has(fields, 'apps', 'events'),
    reader: 'scenario',
  },
  { of: (fields) => has(fields, 'axes', 'seeds'), reader: 'sweep' },
  {
    of: (fields) => has(fields, 'peft_type'),
    name: 'the settings of an adapter (PEFT)',
    remedy: 'Drop the adapter’s folder: adapter_config.json and adapter_model.safetensors together.',
  },
  { of: (fields) => has(fields, 'weight_map'), name: 'the index of a model’s weights', remedy: MODEL_PART },
  { of: (fields) => hasOne(fields, 'architectures', 'model_type'), name: 'a model’s config', remedy: MODEL_PART },
  {
    of: (fields) =>
      has(fields, 'model', 'added_tokens') ||
      hasOne(fields, 'tokenizer_class', 'chat_template', 'added_tokens_decoder'),
    name: 'a part of a tokenizer',
    remedy: MODEL_PART,
  },
  {
    of: (fields) => hasOne(fields, 'eos_token_id', 'bos_token_id', 'eos_token', 'bos_token', 'transformers_version'),
    name: 'a part of a model’s folder',
    remedy: MODEL_PART,
  },
  {
    of: (fields) => has(fields, 'runIds', 'spec') || (has(fields, 'spec', 'status') && hasOne(fields, 'id', 'rows')),
    name: 'the record of an experiment, without its steps',
    remedy: 'Export the run whole under Library, Runs, and drop that .zip.',
  },
  {
    of: (fields) => has(fields, 'preset', 'arms', 'seeds'),
    name: 'the settings of an experiment',
    remedy: 'Its share link opens them in the form; so does the exported run (.zip).',
  },
];

/** Maximum number of fields that a refusal names. */
const NAMED = 4;

const foreign = (value: Fields): Held => {
  const fields = Object.keys(value).map((name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name));
  if (fields.length === 0) return { reader: null, name: 'an empty JSON object' };
  const more = fields.length > NAMED ? ` and ${fields.length - NAMED} more` : '';
  const word = fields.length === 1 ? 'field' : 'fields';
  return { reader: null, name: `a JSON object with the ${word} ${fields.slice(0, NAMED).join(', ')}${more}` };
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param kind kind determined from the file's first bytes; lines may be packed */
export async function heldBy(file: File, kind: 'json' | 'jsonl' | 'gzip'): Promise<Held> {
  if (kind === 'gzip') return packed(file);
  // A file with a single line may also be a JSON file.
  if (kind === 'jsonl' || /\.(jsonl|ndjson)$/i.test(file.name)) return lines(file, await file.slice(0, MOST).text());
  if (file.size > MOST)
    return (await file.slice(0, 64).text()).trimStart()[0] === '['
      ? { reader: 'table', file }
      : { reader: 'log', file };
  let value: unknown;
  try {
    value = parseJsonText(await file.text());
  } catch (error) {
    return { reader: null, name: `no JSON (${wordsOf(error)})`, remedy: 'Get the file again, or mend what it says.' };
  }
  if (Array.isArray(value)) {
    if (isFields(value[0])) return ofRow(value[0], file);
    return {
      reader: null,
      name: value.length === 0 ? 'an empty JSON list' : `a JSON list whose first entry is ${kindOf(value[0])}`,
    };
  }
  if (!isFields(value)) return { reader: null, name: `JSON that is ${kindOf(value)}` };
  for (const { of, reader = null, name = '', remedy } of OBJECTS)
    if (of(value)) return reader === null ? { reader, name, remedy } : { reader, file };
  const row = ofRow(value, file);
  // A single row goes to the reader of its kind of rows, which reports how many rows it needs. It does not go to the reader of tables,
  // since any object could be a row of a table.
  return row.reader === 'table' ? foreign(value) : row;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 100);

const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'string'
        ? 'a text'
        : `a ${typeof value}`;

/**
 * Classifies lines by the first one that is not empty.
 * @param head the start of the file's text, or all of it
 */
function lines(file: File, head: string): Held {
  const first = head.split('\n', 1000).find((line) => line.trim() !== '') ?? '';
  let row: unknown;
  try {
    row = parseJsonText(first);
  } catch (error) {
    // A JSON list over several lines, in a file whose name indicates JSON lines.
    if (/^\s*\[/.test(first)) return { reader: 'table', file };
    return {
      reader: null,
      name: `no JSON lines (the first one: ${wordsOf(error)})`,
      remedy: 'Write one JSON object a line.',
    };
  }
  if (!isFields(row)) return { reader: null, name: `JSON lines of which the first is ${kindOf(row)}` };
  const held = ofRow(row, file);
  if (held.reader !== 'pairs') return held;
  // Pairs are read as one list, so the lines are joined by commas.
  const text = head
    .trim()
    .split(/\r?\n\s*/)
    .join(',\n');
  return { reader: 'pairs', file: new File([`[${text}]`], file.name.replace(/\.\w+$/, '.json')) };
}

/** Readers of a pool and of a table unpack the file themselves, and report a damaged one. */
async function packed(file: File): Promise<Held> {
  let text: string;
  try {
    const bytes = gunzip(new Uint8Array(await file.arrayBuffer()), MOST_UNPACKED);
    const { kind, name } = fileKind(bytes.subarray(0, HEAD_BYTES));
    if (kind !== 'json' && kind !== 'jsonl')
      return { reader: null, name: `${name} in gzip`, remedy: 'Unpack it first.' };
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    return { reader: error instanceof RangeError ? 'table' : 'pool', file };
  }
  const name = file.name.replace(/\.gz$/i, '');
  const inside = new File([text], name);
  const isLines =
    /\.(jsonl|ndjson)$/i.test(name) || fileKind(new TextEncoder().encode(text.slice(0, HEAD_BYTES))).kind === 'jsonl';
  const held = await heldBy(inside, isLines ? 'jsonl' : 'json');
  return held.reader === 'pool' || (held.reader === 'table' && isLines) ? { reader: held.reader, file } : held;
}
