// Disk input of `characters --spec`: the file, the folder of documents beside it, and rows that were written before.
import { readdir, stat } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { OwnRow } from '../../experiments/characters/own/rows.ts';
import {
  DOCUMENT_CHARS,
  MOST_DOCUMENTS,
  type OwnSpec,
  parseOwnSpec,
  SPEC_CHARS,
} from '../../experiments/characters/own/spec.ts';
import { type RowKind, readRows } from '../files/rows.node.ts';
import { jsonOrNull, readInput } from '../grade/lines.ts';

/** Most bytes of a character in UTF-8: sizes are checked before anything is read. */
const BYTES = 4;

async function bounded(path: string, chars: number): Promise<string> {
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0, // The error is readInput's.
  );
  if (size > BYTES * chars)
    throw new FormatError(`${path} has ${size} bytes.`, `At most ${chars} characters are read.`);
  return readInput(path);
}

export const readOwnSpec = async (path: string): Promise<OwnSpec> =>
  parseOwnSpec(await bounded(path, SPEC_CHARS), path);

/** The texts of the spec, or of the files of its folder by name; .jsonl has a `text` a line. Throws FormatError. */
export async function readDocuments({ sdf }: OwnSpec, path: string): Promise<readonly string[]> {
  if (!sdf) return [];
  const { folder, texts = [] } = sdf;
  const found = folder === undefined ? texts : await readFolder(folder, path);
  const chars = found.reduce((sum, text) => sum + text.length, 0);
  if (found.length > MOST_DOCUMENTS || chars > DOCUMENT_CHARS)
    throw new FormatError(
      `${path}: sdf: ${found.length} documents of ${chars} characters.`,
      `At most ${MOST_DOCUMENTS} of ${DOCUMENT_CHARS} together.`,
    );
  return found;
}

async function readFolder(folder: string, path: string): Promise<string[]> {
  const base = resolve(dirname(path));
  const whole = resolve(base, folder);
  const way = relative(base, whole);
  if (way.startsWith('..') || isAbsolute(way))
    throw new FormatError(`${path}: sdf.folder: ${folder} does not lie beside the file.`, 'Move the documents there.');
  const entries = await readdir(whole, { withFileTypes: true }).catch(() => null);
  if (!entries) throw new FormatError(`${path}: sdf.folder: there is no folder ${folder}.`, 'Check the name.');
  const names = entries
    .filter((entry) => entry.isFile() && ['.txt', '.md', '.jsonl'].includes(extname(entry.name)))
    .map(({ name }) => name)
    .sort();
  const texts: string[] = [];
  let left = DOCUMENT_CHARS;
  for (const name of names) {
    const file = join(whole, name);
    const text = await bounded(file, left);
    left = Math.max(0, left - text.length);
    if (extname(name) !== '.jsonl') texts.push(text);
    else
      text.split('\n').forEach((line, i) => {
        if (line.trim() !== '') texts.push(textOf(line, `${file}:${i + 1}`));
      });
  }
  if (texts.length > 0) return texts;
  throw new FormatError(`${path}: sdf.folder: ${folder} has no .txt, .md or .jsonl.`, 'Put the documents there.');
}

function textOf(line: string, where: string): string {
  const text = (jsonOrNull(line) as { text?: unknown } | null)?.text;
  if (typeof text === 'string' && text !== '') return text;
  throw new FormatError(`${where} has no text.`, 'Write {"text": "…"} a line.');
}

const isOwn = (value: unknown): value is OwnRow => {
  const row = value as Partial<OwnRow> | null;
  return row?.schema === 1 && row.kind === 'own' && Array.isArray(row.curve) && row.curve.length > 0;
};

export const OWN_ROWS: RowKind<OwnRow> = {
  command: 'characters --spec',
  read: (value) => (isOwn(value) ? value : null),
};

/** Null where the first line is no row of a person's own characters. Throws FormatError for a file that mixes them. */
export async function readOwnRows(path: string, note: (line: string) => void): Promise<OwnRow[] | null> {
  const [first = ''] = (await readInput(path)).split('\n', 1);
  return isOwn(jsonOrNull(first)) ? readRows(path, OWN_ROWS, note) : null;
}
