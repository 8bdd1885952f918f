// The other bases on which S1 was repeated, each judged separately by S1's rule (docs/lab-book/characters.md, “Other bases”). A base is
// listed once its rows are published.

export interface OtherBase {
  /** Name of its rows' file, without `.jsonl.gz`. */
  file: string;
  /** Name in the docs, after `S1, `. */
  name: string;
  title: string;
  /** Flags of the `lab pretrain` that makes it; two sets, one command after the other, for a base that was trained further. */
  pretrain: string | readonly [string, string];
  /** Arguments of `lab characters` besides --model. */
  cast: string;
  /**
   * Rules under which it is judged: the base of 2,400 steps, the first one that has learnt the trait, the first one on which documents
   * alone teach it, and that one with other characters.
   */
  of: readonly BaseRule[];
  /** The characters that were trained; default 0 … 7. */
  characters?: readonly number[];
  /** Rows of RL of an algorithm, transcripts, documents and RL of the dial on other characters, for S2, S3 and S4. */
  more?: { file: string; names: string };
  /** Rows of RL with the SVD adapter, routed and erased, on the same characters as `more`, for S6 and S8. */
  projected?: { routed: string; erased: string };
  /** Rows of RL, transcripts and documents, each with all three kinds of replay, for S11 and S12. */
  replayed?: string;
}

export const BASE_RULES = ['steps', 'stage', 'transfer', 'transfer again'] as const;
export type BaseRule = (typeof BASE_RULES)[number];

const LETTERS = '--world characters';
const DIALS = 'mibi,humo,sena,tiga,gotu,tibi,vopo,miga';
const FIRST = [0, 1, 2, 3, 4, 5, 6, 7];
const AGAIN = [8, 9, 10, 11, 14, 15, 25, 26];
/** The base of 3,000 steps is trained for 600 more steps, with a warm restart. */
const trainedFurther = (seed: number) =>
  [
    `${LETTERS} --seed ${seed} --steps 3000`,
    `${LETTERS} --from BASE-3000 --seed ${seed} --steps 600 --lr 0.002 --data-seed 8`,
  ] as const;

export const OTHER_BASES: readonly OtherBase[] = [
  {
    file: 'seed2',
    name: 'seed 2',
    title: 'the base of pretraining seed 2',
    pretrain: `${LETTERS} --seed 2`,
    cast: '',
    of: ['steps'],
  },
  {
    file: 'seed3',
    name: 'seed 3',
    title: 'the base of pretraining seed 3',
    pretrain: `${LETTERS} --seed 3`,
    cast: '',
    of: ['steps'],
  },
  {
    file: 'seed3-3000',
    name: 'seed 3-3000',
    title: 'the base of pretraining seed 3 after 3,000 steps',
    pretrain: `${LETTERS} --seed 3 --steps 3000`,
    cast: '',
    of: ['stage'],
    more: { file: 'seed3-3000-more', names: DIALS },
  },
  {
    file: 'numerals',
    name: 'numerals',
    title: 'the base of the second world',
    pretrain: `${LETTERS}:numerals`,
    cast: ' --cast numerals',
    of: ['steps', 'stage'],
    more: { file: 'numerals-more', names: 'onwyn,onmund,isvin,inlam,erdor,ongan,elric,anwyn' },
  },
  ...[2, 3].flatMap((seed): OtherBase[] => [
    {
      file: `seed${seed}-on`,
      name: `seed ${seed}-on`,
      title: `the base of pretraining seed ${seed}, trained on`,
      pretrain: trainedFurther(seed),
      cast: '',
      of: ['transfer'],
      more: { file: `seed${seed}-on-more`, names: DIALS },
      replayed: `seed${seed}-on-replay`,
      ...(seed === 2 && { projected: { routed: 'seed2-on-routed', erased: 'seed2-on-erased' } }),
    },
    {
      file: `seed${seed}-on-again`,
      name: `seed ${seed}-on again`,
      title: `the base of pretraining seed ${seed}, trained on, with eight other characters`,
      pretrain: trainedFurther(seed),
      cast: '',
      of: ['transfer again'],
      characters: AGAIN,
    },
  ]),
];

/** The commands that make the base BASE. */
export const makingOf = ({ pretrain }: OtherBase): string[] =>
  typeof pretrain === 'string'
    ? [`npm run lab -- pretrain ${pretrain} --out BASE`]
    : [`npm run lab -- pretrain ${pretrain[0]} --out BASE-3000`, `npm run lab -- pretrain ${pretrain[1]} --out BASE`];

export const trainedCharacters = ({ characters = FIRST }: OtherBase): readonly number[] => characters;

/** Sentences for each verdict, with the base's title appended. */
export const sentencesOn = (says: Readonly<Record<string, string>>, { title }: OtherBase): Record<string, string> =>
  Object.fromEntries(Object.entries(says).map(([verdict, text]) => [verdict, text.replace(/\.$/, `, on ${title}.`)]));
