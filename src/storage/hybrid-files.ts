// The tensors of a Qwen3.5 model's files: the text part under one of two prefixes, and parts for images and for predicting further tokens,
// of which no byte is read, fetched or hashed.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { bytesText } from '../lib/numbers.ts';
import type { Holes } from './byte-holes.ts';
import type { SafetensorsFile } from './safetensors.ts';

const SHORT = 'model.';
/** Prefix of the text part in published files. */
const LONG = 'model.language_model.';
/** Prefix that transformers 5.5 writes by mistake (huggingface/transformers#45357). */
const TWICE = 'model.language_model.language_model.';

/** Prefixes of the weights that are left out, and what these are for. */
const LEFT_OUT = { 'model.visual.': 'images', 'mtp.': 'further tokens' } as const;
const PARTS = Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[];
const isLeftOut = (name: string) => PARTS.some((part) => name.startsWith(part));

interface Headed {
  path: string;
  file: { size: number };
  header: SafetensorsFile;
}

/** Maps a text weight's name to its name in the files. Throws FormatError if both prefixes have it, or if a prefix is doubled. */
export function namesInFiles(label: string, files: readonly Headed[]): (name: string) => string {
  const all = new Set(files.flatMap(({ header }) => [...header.tensors.keys()]));
  const twice = [...all].find((name) => name.startsWith(TWICE));
  if (twice !== undefined)
    throw new FormatError(
      `${label}: ${JSON.stringify(twice.slice(0, 80))} has its prefix twice, as a save of transformers 5.5 writes it.`,
      `Rename ${TWICE}… to ${LONG}…, or save the model again with a later version.`,
    );
  return (name) => {
    if (!name.startsWith(SHORT)) return name;
    const long = LONG + name.slice(SHORT.length);
    if (!all.has(long)) return name;
    if (!all.has(name)) return long;
    throw new FormatError(
      `${label}: the files have both ${JSON.stringify(name)} and ${JSON.stringify(long)}.`,
      'Remove one of the two: they name the same weight.',
    );
  };
}

/** Parts that are left out of the files: their ranges, their tensors' names, short descriptions, and sentences for the user. */
export function leftOut(files: readonly Headed[]): {
  holes: ReadonlyMap<string, Holes>;
  names: ReadonlySet<string>;
  words: string[];
  notes: string[];
} {
  const names = new Set(files.flatMap(({ header }) => [...header.tensors.keys()].filter(isLeftOut)));
  const holes = new Map(files.map(({ path, header }): [string, Holes] => [path, rangesOf(header)]));
  const words = PARTS.flatMap((part) => {
    const count = [...names].filter((name) => name.startsWith(part)).length;
    return count > 0 ? [`${part}* (${count} tensors, ${LEFT_OUT[part]})`] : [];
  });
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  const cut = [...holes.values()].flat().reduce((sum, [from, to]) => sum + to - from, 0);
  const notes =
    cut > 0
      ? [`The text part needs ${bytesText(all - cut)} of ${bytesText(all)} of weight files; the rest is not read.`]
      : [];
  return { holes: new Map([...holes].filter(([, ranges]) => ranges.length > 0)), names, words, notes };
}

function rangesOf({ tensors }: SafetensorsFile): Holes {
  const parts = [...tensors].filter(([name]) => isLeftOut(name)).map(([, { start, end }]) => [start, end] as const);
  const joined: [number, number][] = [];
  for (const [from, to] of parts.sort((a, b) => a[0] - b[0])) {
    if (from === to) continue;
    const last = joined.at(-1);
    if (last?.[1] === from) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}
