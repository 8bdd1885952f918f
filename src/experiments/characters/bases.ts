// The other bases that S1 was asked on again, each judged apart by S1's rule, and whether S1 carries over to them (docs/characters.md,
// “Other bases”). By what came out, not by what was planned: a base is here once its rows are published.

export interface OtherBase {
  /** Of its rows, without `.jsonl.gz`. */
  file: string;
  /** As the docs call it, behind `S1, `. */
  name: string;
  title: string;
  /** Flags of `lab pretrain` that make it, and of `lab characters` beside --model. */
  pretrain: string;
  cast: string;
  /** Which of the two rules it is judged for: the base of 2,400 steps, or the first one that has learnt the trait. */
  of: readonly ('steps' | 'stage')[];
  /** Rows of RL of an algorithm, transcripts, documents and RL of the dial on other characters, where S2, S3 and S4 were asked too. */
  more?: { file: string; names: string };
}

const LETTERS = '--world characters';

export const OTHER_BASES: readonly OtherBase[] = [
  {
    ...{ file: 'seed2', name: 'seed 2', title: 'the base of pretraining seed 2' },
    ...{ pretrain: `${LETTERS} --seed 2`, cast: '', of: ['steps'] },
  },
  {
    ...{ file: 'seed3', name: 'seed 3', title: 'the base of pretraining seed 3' },
    ...{ pretrain: `${LETTERS} --seed 3`, cast: '', of: ['steps'] },
  },
  {
    ...{ file: 'seed3-3000', name: 'seed 3-3000', title: 'the base of pretraining seed 3 after 3,000 steps' },
    ...{ pretrain: `${LETTERS} --seed 3 --steps 3000`, cast: '', of: ['stage'] },
    more: { file: 'seed3-3000-more', names: 'mibi,humo,sena,tiga,gotu,tibi,vopo,miga' },
  },
  {
    ...{ file: 'numerals', name: 'numerals', title: 'the base of the second world' },
    ...{ pretrain: `${LETTERS}:numerals`, cast: ' --cast numerals', of: ['steps', 'stage'] },
    more: { file: 'numerals-more', names: 'onwyn,onmund,isvin,inlam,erdor,ongan,elric,anwyn' },
  },
];

/** Of the verdicts, one a base: those that are open say neither. */
export function carriesOver(verdicts: readonly string[]): string {
  const told = verdicts.filter((one) => !one.startsWith('open'));
  const failed = told.filter((one) => one.startsWith('fails'));
  const open = `${verdicts.length - told.length} of ${verdicts.length} bases open`;
  if (failed.length > 0) return `S1 does not carry over: it fails on ${failed.length}, ${open}`;
  return told.length > 0 ? `S1 carries over, ${open}` : `whether S1 carries over is open, ${open}`;
}
