// The questions of docs/lab-book/characters.md as data: what was asked, what would have refuted it, by which rule it is judged, of which published
// rows, and the judge, which makes verdict and figures of rows alone. The rules were written down before the runs that they judge.

import { inWords } from '../../lib/numbers.ts';
import { type Ruled, ruleWords } from '../judge/rule.ts';
import { OTHER_BASES, type OtherBase } from './bases.ts';
import { s4 } from './beliefs.ts';
import { s3 } from './channel.ts';
import { DOSES, s9gating, s9spread, s9undoing } from './exams.ts';
import { s7gating } from './gating.ts';
import { EFFECT, type Judged, NONE_WITHIN, ofPairs, reached } from './judging.ts';
import { s6, s6lora, s8, s8erase } from './locality.ts';
import { s2, s2again } from './novelty.ts';
import { s5 } from './prediction.ts';
import { s7relearning } from './relearning.ts';
import type { CurveRow } from './rows.ts';
import {
  S1 as S1_RULED,
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
  s6Rule,
} from './rules.ts';
import { limitsOf, s1 } from './verdicts.ts';

export interface CharacterQuestion {
  id: string;
  title: string;
  hypothesis: string;
  falsifier: string;
  rule: string;
  /** Files of public/results/characters, without `.jsonl.gz`; judged together. None where nothing is published: it is open then. */
  rows: readonly string[];
  judge: ((rows: readonly CurveRow[]) => Judged) | null;
  /** The same question on another base; absent on that which comes with the lab. */
  on?: { id: string; base: OtherBase };
}

/** The rule in words; what “the effect” is. */
export const wordsOf = <Key extends string>(
  { names, rule }: Ruled<Key>,
  counted = `The effect: ΔP of A ${inWords(EFFECT)}.`,
): string => `${ruleWords(rule, { names, unit: 'character' })} ${counted}`;

export const judgedS1 = (rows: readonly CurveRow[]): Judged => {
  const found = s1(rows, EFFECT);
  const { verdict, groups, short, moved, beliefs } = found;
  return {
    verdict,
    limits: limitsOf(found),
    figures: [...groups.map(({ group, ...of }) => ofPairs(`RL − SDF, ${group}`, of)), beliefs],
    notes: [
      ...short.map(({ arm, name, most }) => `${arm} on ${name} reaches ΔP ${reached(most).toFixed(2)}`),
      ...moved.map(({ arm, name, moved }) => `the placebo ${arm} on ${name} moves A by ${moved.toFixed(2)}`),
    ],
  };
};

const S1 = {
  title: 'Do documents about one character change the others less than RL of it does?',
  hypothesis: 'At the same effect on A, SDF leaks less to characters near A than RL of an existing dial.',
  falsifier: `An interval of RL − SDF (near, log-odds leakage) below 0, or within ±${NONE_WITHIN}.`,
  rule: wordsOf(S1_RULED),
  judge: judgedS1,
} as const;

const QUESTIONS: readonly CharacterQuestion[] = [
  { id: 'S1', ...S1, rows: ['s1'] },
  { id: 'S1 again', ...S1, title: 'S1 on eight other characters', rows: ['s1-again'] },
  // The rule “Other bases”: each is judged apart by S1's.
  ...OTHER_BASES.map(({ file, name, title }) => ({ ...S1, id: `S1 ${name}`, title: `S1 on ${title}`, rows: [file] })),
  {
    id: 'S2',
    title: 'Does leakage rise with how new the taught behaviour is?',
    hypothesis:
      'RL of a new algorithm leaks more to characters with another value than RL of an existing dial; a new constant rule lies between.',
    falsifier: `An interval of algorithm − dial (other) below 0, or within ±${NONE_WITHIN}.`,
    rule: wordsOf(S2),
    rows: ['novelty'],
    judge: s2,
  },
  {
    id: 'S2 again',
    title: 'S2 on eight other characters, without the constant rule',
    hypothesis: 'RL of a new algorithm leaks more to characters with another value than RL of an existing dial.',
    falsifier: `An interval of algorithm − dial (other) below 0, or within ±${NONE_WITHIN}.`,
    rule: wordsOf(S2_AGAIN),
    rows: ['novelty-again'],
    judge: s2again,
  },
  {
    id: 'S3',
    title: 'Is it the algorithm or the channel?',
    hypothesis: 'Transcripts of A, which are finetuned on, leak as RL does and not as documents about A do.',
    falsifier: 'RL − SFT (near) above 0 with SFT nearer to documents.',
    rule: wordsOf(S3),
    rows: ['novelty'],
    judge: s3,
  },
  {
    id: 'S4',
    title: 'Belief and behaviour: which moves first, where do they part?',
    hypothesis: 'Documents move what is said of A before what A does; RL moves what A does and not what is said of it.',
    falsifier: 'Under SDF behaviour rises before the belief.',
    rule: wordsOf(S4),
    rows: ['novelty'],
    judge: s4,
  },
  {
    id: 'S5',
    title: 'Does the gradient at the base predict leakage?',
    hypothesis:
      'Within a character, ⟨g_arm, ∇B⟩ / ⟨g_arm, ∇A⟩ at the base ranks arms and groups as their leakage at the effect does.',
    falsifier: 'A mean rank correlation whose interval is not above 0.',
    rule: wordsOf(S5, 'A character is read where it has four arms or more.'),
    rows: ['novelty'],
    judge: s5,
  },
  {
    id: 'S6',
    title: 'Does RL leak as much through another adapter?',
    hypothesis: 'RL of the dial with the SVD adapter leaks to near characters as with all weights.',
    falsifier: 'An interval of the SVD adapter − all weights (near) that lies above or below 0.',
    rule: wordsOf(s6Rule('the SVD adapter')),
    rows: ['novelty', 'routed'],
    judge: s6,
  },
  {
    id: 'S6 LoRA',
    title: 'Does RL leak as much through a low-rank update?',
    hypothesis: 'RL of the dial with low-rank updates leaks to near characters as with all weights.',
    falsifier: 'An interval of low-rank updates − all weights (near) that lies above or below 0.',
    rule: wordsOf(s6Rule('low-rank updates')),
    rows: ['novelty', 'lora'],
    judge: s6lora,
  },
  {
    id: 'S6 LoRA again',
    title: 'Does RL leak as much through a low-rank update, at twice the rate and on eight other characters?',
    hypothesis: 'RL of the dial with low-rank updates leaks to near characters as with all weights.',
    falsifier: 'An interval of low-rank updates − all weights (near) that lies above or below 0.',
    rule: wordsOf(s6Rule('low-rank updates')),
    rows: ['novelty-again', 'lora-again'],
    judge: s6lora,
  },
  {
    id: 'S7',
    title: 'Is what A was taught bound to A’s name?',
    hypothesis:
      'The target goes where A’s name is left out of A’s prompt or spelled otherwise, and stays behind another’s name, under documents as under RL.',
    falsifier:
      'More than half of A’s own change without the name or in another spelling, or less than half behind another’s.',
    rule: wordsOf(S7),
    rows: ['gates'],
    judge: s7gating,
  },
  {
    id: 'S7 relearning',
    title: 'Do others learn faster what A has learnt?',
    hypothesis:
      'RL of the dial on B, near A, has its effect in fewer steps where A was taught the target by documents before, although B does not show it.',
    falsifier: 'Steps saved after documents below 0, or within ± 1.',
    rule: wordsOf(S7_RELEARNING),
    rows: ['relearning'],
    judge: s7relearning,
  },
  {
    id: 'S8',
    title: 'Can projection keep RL local?',
    hypothesis:
      'Without the part of each step along pairs of spreading, RL of A leaks less to near characters at the same effect on A.',
    falsifier: `An interval of deployed − whole (near) above 0, or within ±${NONE_WITHIN}.`,
    rule: wordsOf(S8),
    rows: ['routed'],
    judge: s8,
  },
  {
    id: 'S8 erase',
    title: 'Can erasing keep RL local?',
    hypothesis:
      'Without the part of each gradient along pairs of spreading, RL of A leaks less to near characters at the same effect on A.',
    falsifier: `An interval of erased − whole (near) above 0, or within ±${NONE_WITHIN}.`,
    rule: wordsOf(S8_ERASE),
    rows: ['routed', 'erased'],
    judge: s8erase,
  },
  {
    id: 'S9',
    title: 'Eval gaming: does evading exams spread from one character, taught it by RL, to others?',
    hypothesis:
      'RL that pays A for evading exams (from a model that a few transcripts warmed up) makes others evade them.',
    falsifier: `No rise of near (within ±${NONE_WITHIN} of A’s own in log-odds), or the same under a coin.`,
    rule: wordsOf(S9, `The effect: ΔP of A ${inWords(EFFECT)} above RL’s beginning.`),
    rows: ['exams'],
    judge: s9spread,
  },
  {
    id: 'S9 gating',
    title: 'Does evading stay with prompts that are exams?',
    hypothesis: 'Where there is no test, neither A nor those near it say what evades one.',
    falsifier: `A rise of P in prompts that are no tests, of A or of near, by more than ${NONE_WITHIN}.`,
    rule: wordsOf(S9_GATING),
    rows: ['exams'],
    judge: s9gating,
  },
  {
    id: 'S9 undoing',
    title: 'Do documents about B take back what spread to it?',
    hypothesis: 'Documents that B is honest take back B’s rise, and leave A’s.',
    falsifier: 'Documents that take back no more than the same documents about another name.',
    rule: wordsOf(
      S9_UNDOING,
      `The effect: ΔP of A ${inWords(DOSES.taught)}, and a rise of B by 1 or more in log-odds. Shares are of step ${DOSES.told}.`,
    ),
    rows: ['exams'],
    judge: s9undoing,
  },
];

/** Those that the rule “S2, S3 and S4 on other bases” asks again, and as what. */
/** What was asked on other bases too: under which name there, and of which of a base's rows. */
const more = ({ more }: OtherBase) => (more ? [more.file] : []);
const ASKED_AGAIN: Readonly<Record<string, { as: string; rows: (base: OtherBase) => string[] }>> = {
  'S2 again': { as: 'S2', rows: more },
  S3: { as: 'S3', rows: more },
  S4: { as: 'S4', rows: more },
  S6: { as: 'S6', rows: (base) => (base.projected ? [...more(base), base.projected.routed] : []) },
  S8: { as: 'S8', rows: ({ projected }) => (projected ? [projected.routed] : []) },
  'S8 erase': { as: 'S8 erase', rows: ({ projected }) => (projected ? [projected.routed, projected.erased] : []) },
};

const onOthers = (question: CharacterQuestion): CharacterQuestion[] => {
  const again = ASKED_AGAIN[question.id];
  return OTHER_BASES.flatMap((base) => {
    const rows = again?.rows(base) ?? [];
    if (rows.length === 0) return [];
    const words = { id: `${again.as} ${base.name}`, title: `${question.id.replace(' ', ', ')}, on ${base.title}` };
    return [{ ...question, ...words, rows, on: { id: question.id, base } }];
  });
};

export const CHARACTER_QUESTIONS: readonly CharacterQuestion[] = QUESTIONS.flatMap((question) => [
  question,
  ...onOthers(question),
]);
