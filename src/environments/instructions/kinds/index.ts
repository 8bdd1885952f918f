// The 25 kinds of verifiable instructions of IFEval, by family.
import { END_KINDS } from './ends.ts';
import { FORMAT_KINDS } from './formats.ts';
import type { Kind } from './kind.ts';
import { LENGTH_KINDS } from './lengths.ts';
import { WORD_KINDS } from './words.ts';

export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...WORD_KINDS, ...LENGTH_KINDS, ...FORMAT_KINDS, ...END_KINDS].map((kind) => [kind.id, kind]),
);
