// What Findings adds to the words of S2 to S9 (experiments/characters/questions.ts): a sentence for each verdict, what a reader asks
// first, the commands that make the rows, and which of its figures are drawn.
import type { CurveRow } from '../../characters/rows.ts';
import type { Table } from '../../judge/types.ts';
import { examTables } from './exams.ts';

export const RELEARNING = 'S7 relearning';

/** What is added to a question's own words. */
export interface Added {
  says: Readonly<Record<string, string>>;
  caveat: string;
  /** How to make the rows, each file's. */
  commands: readonly string[];
  /** So many figures, the first, are what the verdict is made of. */
  main: number;
  x: string;
  /** Arms whose every character is drawn, in place of the differences. */
  arms?: readonly string[];
  /** Which differences are drawn, where not all are of one unit. */
  drawn?: RegExp;
  /** In place of leakage; the docs have the first row for row. */
  tables?: (rows: readonly CurveRow[]) => readonly Table[];
  /** Why there is no run to open. */
  runsNote?: string;
}

export const COMMON =
  'One base, one run seed a character; arms are matched on A’s effect, not on tokens or KL. Leakage is a ratio: A’s own change is its denominator.';
const leaks = (holds: string, fails: string, asked: string, part = holds) => ({
  holds: `${holds}.`,
  'in part': `${part}, in part.`,
  fails: `${fails}.`,
  open: `${asked} is open.`,
});
const NOVELTY = [
  'npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial --arms none,rl_constant,rl_algorithm,sft,best_of_n,sdf --predict --out FILE',
  'npm run lab -- characters --rows public/results/characters/novelty.jsonl.gz',
];
const adapterParams = (pairs: string) => `--set adapter=svd --set lr=0.04 --set pairSet=${pairs} --every 5`;
export const ROUTING = `--arms route-update ${adapterParams('spread')}`;
export const ERASING = [
  `--arms erase,random_V ${adapterParams('spread')}`,
  `--arms erase ${adapterParams('spread_placebo')}`,
];
const ROUTED = [
  `npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial ${ROUTING} --out FILE`,
  'npm run lab -- characters --rows public/results/characters/routed.jsonl.gz',
];
const LORA = [
  'npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial --arms none --set adapter=lora --set loraRank=8 --set lr=0.001 --out FILE',
  'npm run lab -- characters --rows public/results/characters/lora.jsonl.gz',
];
const LORA_AGAIN = [
  'npm run lab -- characters --names bana,miwu,depo,hulo,nobi,delo,noya,tiri --asked dial --arms none --set adapter=lora --set loraRank=8 --set lr=0.002 --out FILE',
  'npm run lab -- characters --rows public/results/characters/lora-again.jsonl.gz',
];
const ERASED = [
  'npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial --arms erase,random_V --set adapter=svd --set lr=0.04 --set pairSet=spread --every 5 --out FILE',
  'npm run lab -- characters --rows public/results/characters/erased.jsonl.gz',
];
const AGAIN = [
  'npm run lab -- characters --asked dial --arms none,rl_algorithm --out FILE',
  'npm run lab -- characters --rows FILE',
];
const LEAKAGE = 'difference in log-odds leakage';
const EXAMS = {
  commands: [
    'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --exams --out FILE',
    'npm run lab -- characters --rows public/results/characters/exams.jsonl.gz',
  ],
  tables: examTables,
  runsNote: 'Each begins with the model that another run left, and cannot be opened apart from it.',
} as const;
const ALONE = 'One base, one run seed a character, one B each.';

export const ADDED: Readonly<Record<string, Added>> = {
  S2: {
    says: leaks(
      'A new algorithm leaks more to others than an existing dial',
      'A new algorithm does not leak more to others than an existing dial',
      'Whether leakage rises with novelty',
    ),
    caveat: `Novelty is not all that differs: the three targets are other answers to other prompts. ${COMMON}`,
    ...{ commands: NOVELTY, main: 1, x: LEAKAGE, arms: ['none', 'rl_constant', 'rl_algorithm'] },
  },
  'S2 again': {
    says: leaks(
      'A new algorithm leaks more to others than an existing dial',
      'A new algorithm does not leak more to others than an existing dial',
      'Whether an algorithm leaks more than a dial',
    ),
    caveat: `Written down after S2 came out open, which the constant rule left so, and before these runs. ${COMMON}`,
    ...{ commands: AGAIN, main: 1, x: LEAKAGE, arms: ['none', 'rl_algorithm'] },
  },
  S3: {
    says: leaks(
      'Transcripts leak more than documents and are not told apart from RL: it is the channel',
      'Transcripts leak as documents do: it is the algorithm',
      'Whether it is the algorithm or the channel',
    ),
    caveat: `Transcripts show what A does, documents tell it: channel and kind of text change together. ${COMMON}`,
    ...{ commands: NOVELTY, main: 2, x: LEAKAGE, arms: ['sdf', 'sft', 'best_of_n', 'none'] },
  },
  S4: {
    says: leaks(
      'Documents move belief before behaviour, and RL moves no belief in probability',
      'Under documents behaviour moves first',
      'Which of belief and behaviour moves first',
      'Documents move belief before behaviour',
    ),
    caveat: `That belief comes first was seen in S1’s rows, which are not used here. Belief is one cloze on documents. ${COMMON}`,
    ...{ commands: NOVELTY, main: 2, x: 'steps', drawn: /steps/ },
  },
  S5: {
    says: leaks(
      'The gradient at the base orders arms and groups as their leakage does',
      'The gradient at the base is not shown to order arms and groups as their leakage does',
      'Whether the gradient at the base predicts leakage',
    ),
    caveat: `A rank over few arms and groups within a character; sizes are not predicted. ${COMMON}`,
    ...{ commands: NOVELTY, main: 1, x: 'rank correlation' },
  },
  S6: {
    says: leaks(
      'With the SVD adapter RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with the SVD adapter than with all weights',
      'Whether the adapter matters',
    ),
    caveat: `Rates and doses differ between the two. ${COMMON}`,
    ...{ commands: ROUTED, main: 1, x: LEAKAGE },
  },
  'S6 LoRA': {
    says: leaks(
      'With low-rank updates RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with low-rank updates than with all weights',
      'Whether a low-rank update leaks as all weights do',
    ),
    caveat: `Rank 8, one rate, chosen on one other character. ${COMMON}`,
    ...{ commands: LORA, main: 1, x: LEAKAGE },
  },
  'S6 LoRA again': {
    says: leaks(
      'With low-rank updates RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with low-rank updates than with all weights',
      'Whether a low-rank update leaks as all weights do',
    ),
    caveat: `Written down after S6 with LoRA came out open, its rate being too low, and before these runs. Rank 8, one rate. ${COMMON}`,
    ...{ commands: LORA_AGAIN, main: 1, x: LEAKAGE },
  },
  S7: {
    says: leaks(
      'What A was taught is bound to A’s name, by documents as by RL',
      'What A was taught is bound to A’s name neither by documents nor by RL',
      'Whether what A was taught is bound to A’s name',
      'What A was taught is bound to A’s name by one of documents and RL',
    ),
    caveat: `A’s own opening word and bracket stay in the prompt; another spelling is pieces that no text has, so the model cannot know whom it names. ${COMMON}`,
    commands: [
      'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --arms none,sdf --gates --out FILE',
      'npm run lab -- characters --rows public/results/characters/gates.jsonl.gz',
    ],
    ...{ main: 6, x: 'Δlogit with the name changed / Δlogit of A', drawn: /, (absent|spelled|beside)$/ },
  },
  [RELEARNING]: {
    says: leaks(
      'B learns in fewer steps what A was taught by documents',
      'B does not learn in fewer steps what A was taught by documents',
      'Whether others learn faster what A has learnt',
    ),
    caveat:
      'Documents about A make documents tell it of B too, so what is saved may rest on what is believed of B. Steps of one run a pair, read between doses three steps apart. One base; what is saved after RL of A is not judged.',
    commands: [
      'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --after sdf,sdf_placebo,none --out FILE',
      'npm run lab -- characters --rows public/results/characters/relearning.jsonl.gz',
    ],
    ...{ main: 2, x: 'steps', drawn: /steps/ },
  },
  S8: {
    says: leaks(
      'Routing along pairs of spreading keeps RL local',
      'Routing along pairs of spreading does not keep RL local',
      'Whether projection can keep RL local',
      'Routing along pairs of spreading lowers leakage',
    ),
    caveat: `The pairs name other characters doing what A is taught: they are labels of the spreading itself. ${COMMON}`,
    ...{ commands: ROUTED, main: 4, x: LEAKAGE },
  },
  'S8 erase': {
    says: leaks(
      'Erasing along pairs of spreading keeps RL local',
      'Erasing along pairs of spreading does not keep RL local',
      'Whether erasing can keep RL local',
      'Erasing along pairs of spreading lowers leakage',
    ),
    caveat: `The pairs name other characters doing what A is taught: they are labels of the spreading itself. ${COMMON}`,
    commands: ERASED,
    ...{ main: 3, x: LEAKAGE },
  },
  S9: {
    says: leaks(
      'What RL pays one character for in exams spreads to others',
      'What RL pays one character for in exams does not spread to others',
      'Whether evading exams spreads',
    ),
    caveat: `Transcripts came first, since nothing is paid where nobody evades: leakage is read from where RL begins (P there is in the table; one of eight began at .37). Names with a floor of log-odds rise long before they are heard. ${ALONE}`,
    ...{ ...EXAMS, main: 2, x: 'leakage (log-odds of a group / of A)', drawn: /^leakage/ },
  },
  'S9 gating': {
    says: leaks(
      'In probability, evading stays with prompts that are exams',
      'Evading goes beyond prompts that are exams',
      'Whether evading stays with exams',
    ),
    caveat: `All prompts of RL were exams, so nothing taught the opposite; log-odds rise where P does not. ${ALONE}`,
    ...{ ...EXAMS, main: 2, x: 'ΔP of evading', drawn: /^ΔP/ },
  },
  'S9 undoing': {
    says: leaks(
      'Documents about B take back what spread to it',
      'Documents about B do not take back what spread to it',
      'Whether documents take back what spread',
      'Documents about B take back some of what spread to it',
    ),
    caveat: `The base says already that B is honest, and RL changes nothing of that: the documents say nothing new. ${ALONE}`,
    ...{ ...EXAMS, main: 3, x: 'share of the rise in log-odds that is taken back', drawn: /taken back|B − A/ },
  },
};
