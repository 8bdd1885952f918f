// Sets of scenarios on disk, such as Gaia2: a folder, or a file of rows as on Hugging Face (`scenario_id` and `data`, the scenario's JSON
// as text) in Parquet, JSON or JSON lines; also a single scenario. A set's entries are listed first; a scenario is read when it is played,
// since a whole set takes gigabytes.
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { SPLITS } from '../generate/template.ts';
import type { Trace } from '../scenario/schema.ts';
import { BOUNDS, checkedTrace, parseTrace } from '../scenario/schema.ts';
import { ParquetRows, type Row, SET_REMEDY } from './parquet-rows.node.ts';

/** Gaia2's splits: one per capability, and a small mixed one. */
export const SET_SPLITS = [...SPLITS, 'mini', 'other'] as const;
type SetSplit = (typeof SET_SPLITS)[number];

export interface SetEntry {
  readonly id: string;
  readonly split: SetSplit;
  /** The file and its row, for messages. */
  readonly where: string;
  /** Throws FormatError, ScenarioError. */
  load(): Promise<Trace>;
}

const KINDS = ['.json', '.jsonl', '.parquet'];
/** Most scenarios of a set. */
const MOST = 100_000;

/** Entries in the order of files and rows, up to the one for which `isEnough` returns true. Throws FormatError if there are none. */
export async function openSet(
  path: string,
  note: (line: string) => void = () => {},
  isEnough: (entry: SetEntry) => boolean = () => false,
): Promise<SetEntry[]> {
  const files = await filesOf(path);
  const entries: SetEntry[] = [];
  for (const file of files) {
    const before = entries.length;
    try {
      for await (const entry of entriesOf(file)) {
        entries.push(entry);
        if (isEnough(entry)) return entries;
        if (entries.length > MOST)
          throw new FormatError(`${path} has more than ${MOST} scenarios.`, 'Name a part of it.');
      }
    } catch (error) {
      // A folder may contain other JSON files besides its scenarios.
      const isOther = file !== path && file.endsWith('.json') && entries.length === before;
      if (!isOther || !(error instanceof FormatError)) throw error;
      note(`Left out: ${error.message}`);
    }
  }
  if (entries.length === 0) throw new FormatError(`${path} has no scenarios.`, SET_REMEDY);
  return entries;
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new FormatError(`${path} cannot be read (${error.code}).`, SET_REMEDY);
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && KINDS.includes(extname(entry.name)) && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function entriesOf(file: string): AsyncIterable<SetEntry> {
  if (file.endsWith('.parquet')) return parquetEntries(file);
  return file.endsWith('.jsonl') ? lineEntries(file) : jsonEntries(file);
}

// ---- rows ------------------------------------------------------------------------------------------------------------------------

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a row whose scenario is a text or an object, or a bare scenario. Throws ScenarioError. */
function traceOf(row: Row, where: string): Trace {
  const { data, scenario_id: id } = row;
  if (data === undefined) return checkedTrace(row);
  if (typeof data !== 'string' && !isRow(data))
    throw new FormatError(
      `${where}: \`data\` is no scenario.`,
      'It has to be the scenario’s JSON, as text or as an object.',
    );
  const trace = typeof data === 'string' ? parseTrace(data) : checkedTrace(data);
  const own = trace.metadata.definition.scenario_id;
  if (typeof id === 'string' && id !== own && id !== '')
    return { ...trace, metadata: { ...trace.metadata, definition: { ...trace.metadata.definition, scenario_id: id } } };
  return trace;
}

const splitNamed = (name: unknown): SetSplit | null =>
  SET_SPLITS.find((one) => typeof name === 'string' && one === name.toLowerCase()) ?? null;

/** The split named in the row, else in its file's name or folders, else in the scenario's tags. */
function splitOf(row: Row, file: string, tags: () => readonly string[]): SetSplit {
  for (const column of ['config', 'capability', 'category', 'split']) {
    const named = splitNamed(row[column]);
    if (named) return named;
  }
  return (
    splitOfPath(file) ??
    tags()
      .map(splitNamed)
      .find((one) => one !== null) ??
    'other'
  );
}

const splitOfPath = (file: string): SetSplit | null =>
  file
    .split(sep)
    .reverse()
    .flatMap((part) => basename(part, extname(part)).split(/[-_.]/))
    .map(splitNamed)
    .find((one) => one !== null) ?? null;

function entryOf(row: Row, file: string, where: string, again: () => Promise<Row>): SetEntry {
  const isScenario = row.data === undefined;
  if (isScenario && !isRow(row.metadata))
    throw new FormatError(`${where} is no scenario, and no row with \`data\`.`, SET_REMEDY);
  const definition = () => definitionIn(isScenario ? row : dataOf(row));
  const id =
    typeof row.scenario_id === 'string' && !isScenario ? row.scenario_id : String(definition().scenario_id ?? '');
  if (id === '') throw new FormatError(`${where} has no scenario_id.`, SET_REMEDY);
  const tags = () => {
    const found = definition().tags;
    return Array.isArray(found) ? found.filter((tag) => typeof tag === 'string') : [];
  };
  return { id, split: splitOf(row, file, tags), where, load: async () => traceOf(await again(), where) };
}

/** Not validated: loading reports errors. */
function dataOf({ data }: Row): Row {
  if (isRow(data)) return data;
  try {
    const value: unknown = typeof data === 'string' && data.length <= BOUNDS.text ? parseJsonText(data) : null;
    return isRow(value) ? value : {};
  } catch {
    return {};
  }
}

function definitionIn({ metadata }: Row): Row {
  const definition = isRow(metadata) ? metadata.definition : null;
  return isRow(definition) ? definition : {};
}

// ---- JSON ------------------------------------------------------------------------------------------------------------------------

function parseJson(text: string, where: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    throw new FormatError(`${where} is not JSON: ${(cause as Error).message}`, SET_REMEDY, { cause });
  }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new FormatError(`${file} cannot be read (${error.code ?? error.message}).`, SET_REMEDY);
  });
}

/** Yields the entries of a scenario, a row, or a list of either. */
async function* jsonEntries(file: string): AsyncGenerator<SetEntry> {
  const value = parseJson(await textOf(file), file);
  if (!Array.isArray(value)) {
    if (!isRow(value)) throw new FormatError(`${file} is no scenario.`, SET_REMEDY);
    yield entryOf(value, file, file, async () => parseJson(await textOf(file), file) as Row);
    return;
  }
  for (const [place, row] of value.entries()) {
    const where = `${file}[${place}]`;
    if (!isRow(row)) throw new FormatError(`${where} is no scenario.`, SET_REMEDY);
    yield entryOf(row, file, where, async () => (parseJson(await textOf(file), file) as Row[])[place] as Row);
  }
}

const CHUNK = 1 << 20;
/** Most bytes of a line: those of a text's characters, and the escapes added by quoting. */
const MOST_LINE = 4 * BOUNDS.text;

async function* lineEntries(file: string): AsyncGenerator<SetEntry> {
  const handle = await open(file);
  try {
    let line = 0;
    for await (const { from, length } of linesIn(handle, file)) {
      const where = `${file}:${++line}`;
      const text = await bytesAt(handle, from, length);
      if (text.trim() === '') continue;
      const row = parseJson(text, where);
      if (!isRow(row)) throw new FormatError(`${where} is no scenario.`, SET_REMEDY);
      yield entryOf(row, file, where, async () => {
        const again = await open(file);
        const own = await bytesAt(again, from, length).finally(() => again.close());
        return parseJson(own, where) as Row;
      });
    }
  } finally {
    await handle.close();
  }
}

async function bytesAt(handle: FileHandle, from: number, length: number): Promise<string> {
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, from);
  return buffer.toString('utf8');
}

/** Start and length of each line, without reading the whole file into memory. */
async function* linesIn(handle: FileHandle, file: string): AsyncGenerator<{ from: number; length: number }> {
  const chunk = Buffer.alloc(CHUNK);
  let from = 0;
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    for (let end = chunk.indexOf(10); end >= 0 && end < bytesRead; end = chunk.indexOf(10, end + 1)) {
      yield { from, length: at + end - from };
      from = at + end + 1;
    }
    at += bytesRead;
    if (at - from > MOST_LINE) throw new FormatError(`${file} has a line of more than ${MOST_LINE} bytes.`, SET_REMEDY);
    if (bytesRead === 0) {
      if (at > from) yield { from, length: at - from };
      return;
    }
  }
}

// ---- Parquet ---------------------------------------------------------------------------------------------------------------------

async function* parquetEntries(path: string): AsyncGenerator<SetEntry> {
  const file = await ParquetRows.open(path);
  const { names } = file;
  if (!names.includes('data'))
    throw new FormatError(`${path} has no column \`data\`, but ${names.slice(0, 20).join(', ')}.`, SET_REMEDY);
  // The long `data` column is read only if the others do not identify the row.
  const short = ['scenario_id', 'config', 'capability', 'category', 'split'].filter((name) => names.includes(name));
  const identifiesRow = short.includes('scenario_id') && splitOfPath(path) !== null;
  let next = 0;
  for await (const row of file.all(identifiesRow ? short : [...short, 'data'])) {
    const place = next++;
    yield entryOf({ data: '', ...row }, path, `${path}[${place}]`, () => file.at(place, [...short, 'data']));
  }
}

/** @param id selects a scenario of a set. Throws FormatError for a missing file, ScenarioError for an invalid scenario, SpecError for
 *  several. */
export async function readTrace(path: string, id: string | null = null): Promise<Trace> {
  const entries = await openSet(path);
  const [entry, ...others] = id === null ? entries : entries.filter((one) => one.id === id);
  if (!entry) throw new SpecError(`${path} has no scenario ${id}.`, `It has ${someOf(entries.map((one) => one.id))}.`);
  if (others.length === 0) return entry.load();
  throw new SpecError(
    `${path} has ${others.length + 1} scenarios${id === null ? '' : ` ${id}`}.`,
    'Play them with `are bench`, or one with `are run … --scenario ID`.',
  );
}

const someOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
