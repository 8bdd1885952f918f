// S2 to S12: the text of each question, its rule, its estimator (a named function of experiments/characters), and what is drawn.
// registrations.ts has which rules are older than their rows.

import { DOSES, s9gating, s9spread, s9undoing } from '../../../src/experiments/characters/exams.ts';
import { EFFECT, NONE_WITHIN, type Reading } from '../../../src/experiments/characters/judging.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';
import type { Table } from '../../../src/experiments/judge/figures.ts';
import type { Ruled } from '../../../src/experiments/judge/rule.ts';
import { inWords } from '../../../src/lib/numbers.ts';
import { s4 } from './beliefs.ts';
import { s3 } from './channel.ts';
import { examTables, relearntTable } from './exams.ts';
import { s7gating } from './gating.ts';
import { s6, s6lora, s8, s8erase } from './locality.ts';
import { s2, s2again } from './novelty.ts';
import { s5 } from './prediction.ts';
import { s7relearning } from './relearning.ts';
import { s11, s12 } from './replay.ts';
import {
  S2,
  S2_AGAIN,
  S3,
  S4,
  S5,
  S7,
  S7_RELEARNING,
  S8,
  S8_ERASE,
  S9,
  S9_GATING,
  S9_UNDOING,
  S11,
  S12,
  s6Rule,
} from './rules.ts';

export interface CharacterQuestion<Key extends string = string> extends Ruled<Key> {
  /** Id in the docs: `S2 again`. */
  id: string;
  title: string;
  hypothesis: string;
  falsified: string;
  /** Meaning of “the effect”, after the rule; default: ΔP of A. */
  counted?: string;
  says: Readonly<Record<string, string>>;
  caveat: string;
  /** Commands that make the rows of each file. */
  commands: readonly string[];
  /** Files of public/results/characters, without `.jsonl.gz`; judged together. */
  rows: readonly string[];
  measure(rows: readonly CurveRow[]): Reading<Key>;
  /** The verdict uses this many of the first figures. */
  main: number;
  x: string;
  /** Arms whose every character is drawn, instead of the differences. */
  arms?: readonly string[];
  /** Differences that are drawn, if not all have the same unit. */
  drawn?: RegExp;
  /** Tables instead of leakage. */
  tables?: (rows: readonly CurveRow[]) => readonly Table[];
  /** Whether its rows have replay, which no other question's have. */
  isOfReplay?: boolean;
  /** Whether every figure is shown, and the docs contain the first table row for row. */
  isListed?: boolean;
  /** Whether it is on a base that does not come with the lab. */
  isElsewhere?: boolean;
  /** Caveat on other bases too, instead of the common one. */
  elsewhere?: string;
  /** Why no run can be opened. */
  runsNote?: string;
}

/** Checks the type of one question: its estimates must be those that its rule uses. */
const characterQuestion = <Key extends string>(question: CharacterQuestion<Key>): CharacterQuestion => question;

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
  'npm run research -- tables characters public/results/characters/novelty.jsonl.gz',
];
const adapterParams = (pairs: string) => `--set adapter=svd --set lr=0.04 --set pairSet=${pairs} --every 5`;
export const ROUTING = `--arms route-update ${adapterParams('spread')}`;
export const ERASING = [
  `--arms erase,random_V ${adapterParams('spread')}`,
  `--arms erase ${adapterParams('spread_placebo')}`,
];
const ROUTED = [
  `npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial ${ROUTING} --out FILE`,
  'npm run research -- tables characters public/results/characters/routed.jsonl.gz',
];
const LORA = [
  'npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial --arms none --set adapter=lora --set loraRank=8 --set lr=0.001 --out FILE',
  'npm run research -- tables characters public/results/characters/lora.jsonl.gz',
];
const LORA_AGAIN = [
  'npm run lab -- characters --names bana,miwu,depo,hulo,nobi,delo,noya,tiri --asked dial --arms none --set adapter=lora --set loraRank=8 --set lr=0.002 --out FILE',
  'npm run research -- tables characters public/results/characters/lora-again.jsonl.gz',
];
const ERASED = [
  'npm run lab -- characters --names mibi,humo,sena,tiga,gotu,tibi,vopo,miga --asked dial --arms erase,random_V --set adapter=svd --set lr=0.04 --set pairSet=spread --every 5 --out FILE',
  'npm run research -- tables characters public/results/characters/erased.jsonl.gz',
];
const AGAIN = [
  'npm run lab -- characters --asked dial --arms none,rl_algorithm --out FILE',
  'npm run research -- tables characters FILE',
];
const LEAKAGE = 'difference in log-odds leakage';
export const REPLAY_ROWS = ['none', 'documents', 'transcripts'].map(
  (replay) =>
    `npm run lab -- characters --characters 6,7,8,9,10,11,14,15,16,17,18,19,20,21,22,23 --arms none,sft,sdf --set replay=${replay} --out FILE`,
);
const REPLAY = [...REPLAY_ROWS, 'npm run research -- tables characters public/results/characters/replay.jsonl.gz'];
const REPLAYED =
  'Replay is 70% of the texts; of RL it has a weight of .7 against RL’s own .3, and the sizes of their gradients were not compared. Documents about others say what the base knows, so that they may hardly act there. Both questions read the same rows.';
const REPLAYED_HERE = `${REPLAYED} RL, transcripts and documents as they were before had known rows on these characters (S1-again to S4, S10). S10’s placebo documents, which have no replay, moved one A. One base, one world, one run seed a character; arms are matched on A’s effect.`;
const EXAMS = {
  commands: [
    'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --exams --out FILE',
    'npm run research -- tables characters public/results/characters/exams.jsonl.gz',
  ],
  tables: examTables,
  isListed: true,
  runsNote: 'Each begins with the model that another run left, and cannot be opened apart from it.',
} as const;
const ALONE = 'One base, one run seed a character, one B each.';

export const LATER: readonly CharacterQuestion[] = [
  characterQuestion({
    id: 'S2',
    title: 'Does leakage rise with how new the taught behaviour is?',
    hypothesis:
      'RL of a new algorithm leaks more to characters with another value than RL of an existing dial; a new constant rule lies between.',
    falsified: `An interval of algorithm − dial (other) below 0, or within ±${NONE_WITHIN}.`,
    ...S2,
    rows: ['novelty'],
    measure: s2,
    says: leaks(
      'A new algorithm leaks more to others than an existing dial',
      'A new algorithm does not leak more to others than an existing dial',
      'Whether leakage rises with novelty',
    ),
    caveat: `Novelty is not all that differs: the three targets are other answers to other prompts. ${COMMON}`,
    commands: NOVELTY,
    main: 1,
    x: LEAKAGE,
    arms: ['none', 'rl_constant', 'rl_algorithm'],
  }),
  characterQuestion({
    id: 'S2 again',
    title: 'S2 on eight other characters, without the constant rule',
    hypothesis: 'RL of a new algorithm leaks more to characters with another value than RL of an existing dial.',
    falsified: `An interval of algorithm − dial (other) below 0, or within ±${NONE_WITHIN}.`,
    ...S2_AGAIN,
    rows: ['novelty-again'],
    measure: s2again,
    says: leaks(
      'A new algorithm leaks more to others than an existing dial',
      'A new algorithm does not leak more to others than an existing dial',
      'Whether an algorithm leaks more than a dial',
    ),
    caveat: `Written down after S2 came out open, which the constant rule left so, and before these runs. ${COMMON}`,
    commands: AGAIN,
    main: 1,
    x: LEAKAGE,
    arms: ['none', 'rl_algorithm'],
  }),
  characterQuestion({
    id: 'S3',
    title: 'Is it the algorithm or the channel?',
    hypothesis: 'Transcripts of A, which are finetuned on, leak as RL does and not as documents about A do.',
    falsified: 'RL − SFT (near) above 0 with SFT nearer to documents.',
    ...S3,
    rows: ['novelty'],
    measure: s3,
    says: leaks(
      'Transcripts leak more than documents and are not told apart from RL',
      'Transcripts leak as documents do',
      'Whether it is the algorithm or the channel',
    ),
    caveat: `Transcripts show what A does, documents tell it: channel and kind of text change together. ${COMMON}`,
    commands: NOVELTY,
    main: 2,
    x: LEAKAGE,
    arms: ['sdf', 'sft', 'best_of_n', 'none'],
  }),
  characterQuestion({
    id: 'S4',
    title: 'Belief and behaviour: which moves first, where do they part?',
    hypothesis: 'Documents move what is said of A before what A does; RL moves what A does and not what is said of it.',
    falsified: 'Under SDF behaviour rises before the belief.',
    ...S4,
    rows: ['novelty'],
    measure: s4,
    says: leaks(
      'Documents move belief before behaviour, and RL moves no belief in probability',
      'Under documents behaviour moves first',
      'Which of belief and behaviour moves first',
      'Documents move belief before behaviour',
    ),
    caveat: `That belief comes first was seen in S1’s rows, which are not used here. Belief is one cloze on documents. ${COMMON}`,
    commands: NOVELTY,
    main: 2,
    x: 'steps',
    drawn: /steps/,
  }),
  characterQuestion({
    id: 'S5',
    title: 'Does the gradient at the base predict leakage?',
    hypothesis:
      'Within a character, ⟨g_arm, ∇B⟩ / ⟨g_arm, ∇A⟩ at the base ranks arms and groups as their leakage at the effect does.',
    falsified: 'A mean rank correlation whose interval is not above 0.',
    ...S5,
    counted: 'A character is read where it has four arms or more.',
    rows: ['novelty'],
    measure: s5,
    says: leaks(
      'The gradient at the base orders arms and groups as their leakage does',
      'The gradient at the base is not shown to order arms and groups as their leakage does',
      'Whether the gradient at the base predicts leakage',
    ),
    caveat: `A rank over few arms and groups within a character; sizes are not predicted. ${COMMON}`,
    commands: NOVELTY,
    main: 1,
    x: 'rank correlation',
  }),
  characterQuestion({
    id: 'S6',
    title: 'Does RL leak as much through another adapter?',
    hypothesis: 'RL of the dial with the SVD adapter leaks to near characters as with all weights.',
    falsified: 'An interval of the SVD adapter − all weights (near) that lies above or below 0.',
    ...s6Rule('the SVD adapter'),
    rows: ['novelty', 'routed'],
    measure: s6,
    says: leaks(
      'With the SVD adapter RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with the SVD adapter than with all weights',
      'Whether the adapter matters',
    ),
    caveat: `Rates and doses differ between the two. ${COMMON}`,
    commands: ROUTED,
    main: 1,
    x: LEAKAGE,
  }),
  characterQuestion({
    id: 'S6 LoRA',
    title: 'Does RL leak as much through a low-rank update?',
    hypothesis: 'RL of the dial with low-rank updates leaks to near characters as with all weights.',
    falsified: 'An interval of low-rank updates − all weights (near) that lies above or below 0.',
    ...s6Rule('low-rank updates'),
    rows: ['novelty', 'lora'],
    measure: s6lora,
    says: leaks(
      'With low-rank updates RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with low-rank updates than with all weights',
      'Whether a low-rank update leaks as all weights do',
    ),
    caveat: `Rank 8, one rate, chosen on one other character. ${COMMON}`,
    commands: LORA,
    main: 1,
    x: LEAKAGE,
  }),
  characterQuestion({
    id: 'S6 LoRA again',
    title: 'Does RL leak as much through a low-rank update, at twice the rate and on eight other characters?',
    hypothesis: 'RL of the dial with low-rank updates leaks to near characters as with all weights.',
    falsified: 'An interval of low-rank updates − all weights (near) that lies above or below 0.',
    ...s6Rule('low-rank updates'),
    rows: ['novelty-again', 'lora-again'],
    measure: s6lora,
    says: leaks(
      'With low-rank updates RL leaks within .10 of what it leaks with all weights',
      'RL leaks otherwise with low-rank updates than with all weights',
      'Whether a low-rank update leaks as all weights do',
    ),
    caveat: `Written down after S6 with LoRA came out open, its rate being too low, and before these runs. Rank 8, one rate. ${COMMON}`,
    commands: LORA_AGAIN,
    main: 1,
    x: LEAKAGE,
  }),
  characterQuestion({
    id: 'S7',
    title: 'Is what A was taught bound to A’s name?',
    hypothesis:
      'The target goes where A’s name is left out of A’s prompt or spelled otherwise, and stays behind another’s name, under documents as under RL.',
    falsified:
      'More than half of A’s own change without the name or in another spelling, or less than half behind another’s.',
    ...S7,
    rows: ['gates'],
    measure: s7gating,
    says: leaks(
      'What A was taught is bound to A’s name, by documents as by RL',
      'What A was taught is bound to A’s name neither by documents nor by RL',
      'Whether what A was taught is bound to A’s name',
      'What A was taught is bound to A’s name by one of documents and RL',
    ),
    caveat: `A’s own opening word and bracket stay in the prompt; another spelling is pieces that no text has, so the model cannot know whom it names. ${COMMON}`,
    commands: [
      'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --arms none,sdf --gates --out FILE',
      'npm run research -- tables characters public/results/characters/gates.jsonl.gz',
    ],
    main: 6,
    x: 'Δlogit with the name changed / Δlogit of A',
    drawn: /, (absent|spelled|beside)$/,
  }),
  characterQuestion({
    id: 'S7 relearning',
    title: 'Do others learn faster what A has learnt?',
    hypothesis:
      'RL of the dial on B, near A, has its effect in fewer steps where A was taught the target by documents before, although B does not show it.',
    falsified: 'Steps saved after documents below 0, or within ± 1.',
    ...S7_RELEARNING,
    rows: ['relearning'],
    measure: s7relearning,
    says: leaks(
      'B learns in fewer steps what A was taught by documents',
      'B does not learn in fewer steps what A was taught by documents',
      'Whether others learn faster what A has learnt',
    ),
    caveat:
      'Documents about A make documents tell it of B too, so what is saved may rest on what is believed of B. Steps of one run a pair, read between doses three steps apart. One base; what is saved after RL of A is not judged.',
    commands: [
      'npm run lab -- characters --characters 0,1,2,3,4,5,6,7 --after sdf,sdf_placebo,none --out FILE',
      'npm run research -- tables characters public/results/characters/relearning.jsonl.gz',
    ],
    main: 2,
    x: 'steps',
    drawn: /steps/,
    tables: (rows: readonly CurveRow[]) => [relearntTable(rows)],
  }),
  characterQuestion({
    id: 'S8',
    title: 'Can projection keep RL local?',
    hypothesis:
      'Without the part of each step along pairs of spreading, RL of A leaks less to near characters at the same effect on A.',
    falsified: `An interval of deployed − whole (near) above 0, or within ±${NONE_WITHIN}.`,
    ...S8,
    rows: ['routed'],
    measure: s8,
    says: leaks(
      'Routing along pairs of spreading keeps RL local',
      'Routing along pairs of spreading does not keep RL local',
      'Whether projection can keep RL local',
      'Routing along pairs of spreading lowers leakage',
    ),
    caveat: `The pairs name other characters doing what A is taught: they are labels of the spreading itself. ${COMMON}`,
    commands: ROUTED,
    main: 4,
    x: LEAKAGE,
  }),
  characterQuestion({
    id: 'S8 erase',
    title: 'Can erasing keep RL local?',
    hypothesis:
      'Without the part of each gradient along pairs of spreading, RL of A leaks less to near characters at the same effect on A.',
    falsified: `An interval of erased − whole (near) above 0, or within ±${NONE_WITHIN}.`,
    ...S8_ERASE,
    rows: ['routed', 'erased'],
    measure: s8erase,
    says: leaks(
      'Erasing along pairs of spreading keeps RL local',
      'Erasing along pairs of spreading does not keep RL local',
      'Whether erasing can keep RL local',
      'Erasing along pairs of spreading lowers leakage',
    ),
    caveat: `The pairs name other characters doing what A is taught: they are labels of the spreading itself. ${COMMON}`,
    commands: ERASED,
    main: 3,
    x: LEAKAGE,
  }),
  characterQuestion({
    id: 'S9',
    title: 'Eval gaming: does evading exams spread from one character, taught it by RL, to others?',
    hypothesis:
      'RL that pays A for evading exams (from a model that a few transcripts warmed up) makes others evade them.',
    falsified: `No rise of near (within ±${NONE_WITHIN} of A’s own in log-odds), or the same under a coin.`,
    ...S9,
    counted: `The effect: ΔP of A ${inWords(EFFECT)} above RL’s beginning.`,
    rows: ['exams'],
    measure: s9spread,
    says: leaks(
      'What RL pays one character for in exams spreads to others',
      'What RL pays one character for in exams does not spread to others',
      'Whether evading exams spreads',
    ),
    caveat: `Transcripts came first, since nothing is paid where nobody evades: leakage is read from where RL begins (P there is in the table; one of eight began at .37). Names with a floor of log-odds rise long before they are heard. ${ALONE}`,
    ...EXAMS,
    main: 2,
    x: 'leakage (log-odds of a group / of A)',
    drawn: /^leakage/,
  }),
  characterQuestion({
    id: 'S9 gating',
    title: 'Does evading stay with prompts that are exams?',
    hypothesis: 'Where there is no test, neither A nor those near it say what evades one.',
    falsified: `A rise of P in prompts that are no tests, of A or of near, by more than ${NONE_WITHIN}.`,
    ...S9_GATING,
    rows: ['exams'],
    measure: s9gating,
    says: leaks(
      'In probability, evading stays with prompts that are exams',
      'Evading goes beyond prompts that are exams',
      'Whether evading stays with exams',
    ),
    caveat: `All prompts of RL were exams, so nothing taught the opposite; log-odds rise where P does not. ${ALONE}`,
    ...EXAMS,
    main: 2,
    x: 'ΔP of evading',
    drawn: /^ΔP/,
  }),
  characterQuestion({
    id: 'S9 undoing',
    title: 'Do documents about B take back what spread to it?',
    hypothesis: 'Documents that B is honest take back B’s rise, and leave A’s.',
    falsified: 'Documents that take back no more than the same documents about another name.',
    ...S9_UNDOING,
    counted: `The effect: ΔP of A ${inWords(DOSES.taught)}, and a rise of B by 1 or more in log-odds. Shares are of step ${DOSES.lastDocuments}.`,
    rows: ['exams'],
    measure: s9undoing,
    says: leaks(
      'Documents about B take back what spread to it',
      'Documents about B do not take back what spread to it',
      'Whether documents take back what spread',
      'Documents about B take back some of what spread to it',
    ),
    caveat: `The base says already that B is honest, and RL changes nothing of that: the documents say nothing new. ${ALONE}`,
    ...EXAMS,
    main: 3,
    x: 'share of the rise in log-odds that is taken back',
    drawn: /taken back|B − A/,
  }),
  characterQuestion({
    id: 'S11',
    title: 'Channel or replay: do documents leak less than RL, with the same replay beside both?',
    hypothesis:
      'With no texts about others, with documents about them and with their transcripts beside both, RL of a dial leaks more to near characters than documents about A.',
    falsified: `With the same documents about others beside both, a difference that is not above 0, and is within ±${NONE_WITHIN} or less than half of what S1 compares.`,
    ...S11,
    isOfReplay: true,
    rows: ['replay'],
    measure: s11,
    says: {
      holds:
        'Documents about one character leak less than RL on it: without replay, and with documents about others or their transcripts beside both.',
      'in part: not with every replay':
        'Documents leak less than RL without replay and with the same documents about others beside both, but not with others’ transcripts.',
      fails: 'That documents leak less than RL is mostly what is replayed beside them.',
      open: 'Whether it is the channel or the replay is open.',
    },
    caveat: REPLAYED_HERE,
    elsewhere: REPLAYED,
    commands: REPLAY,
    main: 4,
    x: LEAKAGE,
    drawn: / − .*, (near|far|other)$/,
  }),
  characterQuestion({
    id: 'S12',
    title: 'Does replay make RL of one character leak less?',
    hypothesis:
      'RL of a dial leaks less to near characters with documents about others, and with their transcripts, replayed beside it.',
    falsified: `Both differences within ±${NONE_WITHIN}, and neither above 0.`,
    ...S12,
    isOfReplay: true,
    rows: ['replay'],
    measure: s12,
    says: {
      holds:
        'RL of one character leaks less with documents about others, and with their transcripts, replayed beside it.',
      'in part: others’ transcripts do':
        'RL of one character leaks less with others’ transcripts replayed beside it; documents about them are not shown to help.',
      'in part: documents about others do':
        'RL of one character leaks less with documents about others replayed beside it; their transcripts are not shown to help.',
      fails: 'Replay of texts about others does not make RL of one character leak less.',
      open: 'Whether replay makes RL of one character leak less is open.',
    },
    caveat: REPLAYED_HERE,
    elsewhere: REPLAYED,
    commands: REPLAY,
    main: 2,
    x: LEAKAGE,
  }),
];
