// The other bases that S1 was asked on again, each judged apart by S1's rule, and whether S1 carries over to them (docs/characters.md,
// “Other bases”). By what came out, not by what was planned: a base is here once its rows are published.
import type { Judged } from './judging.ts';
import type { CurveRow } from './rows.ts';
import { s1 } from './verdicts.ts';

export interface OtherBase {
  /** Of its rows, without `.jsonl.gz`. */
  file: string;
  /** As the docs call it, behind `S1, `. */
  name: string;
  title: string;
  /** Flags of `lab pretrain` that make it, and of `lab characters` beside --model. */
  pretrain: string;
  cast: string;
}

const LETTERS = '--world characters';

export const OTHER_BASES: readonly OtherBase[] = [
  { file: 'seed2', name: 'seed 2', title: 'the base of pretraining seed 2', pretrain: `${LETTERS} --seed 2`, cast: '' },
];

/** Of the verdicts, one a base: those that are open say neither. */
export function carriesOver(verdicts: readonly string[]): string {
  const told = verdicts.filter((one) => !one.startsWith('open'));
  const of = `${told.length} of ${verdicts.length} bases`;
  if (told.some((one) => one.startsWith('fails'))) return `fails on one of ${of} that are not open`;
  return told.length > 0 ? `holds: ${of}, the others open` : `open: on all ${verdicts.length} bases`;
}
