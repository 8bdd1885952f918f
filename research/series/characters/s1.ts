// S1, its repetition and its repetitions on other bases: does SDF leak less than RL of an existing dial, at equal effect on A? Tables:
// docs/lab-book/characters.md.

import { flooredHundredths } from '../../../src/experiments/characters/judging.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { verdictText } from '../../../src/experiments/judge/rule.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { makingOf, OTHER_BASES, type OtherBase, sentencesOn, trainedCharacters } from './bases.ts';
import { limitsOf, s1 } from './documents.ts';
import { counting, UNIT } from './later.ts';
import { labelOf, leakageChart, leakageTable, runsOf } from './leakages.ts';
import { differenceOf, matched } from './matched.ts';
import { S1 as RULES } from './rules.ts';

type Key = keyof typeof RULES.names;
type S1Question = Question<readonly CurveRow[], Key>;

/**
 * S1's judgement of one file's rows. `name`: its name in the docs. `opens`: whether its runs can be opened in the lab, which requires the
 * embedded model.
 */
const judgedBy = (
  file: string,
  name: string,
  opens = true,
): Pick<S1Question, 'show' | 'line' | 'read' | 'estimates' | 'shown'> => ({
  show: two,
  line: ['near', 'far', 'other'],
  read: (rows) => rows.lines<CurveRow>(file),
  estimates: (rows) => s1(rows).estimates,
  shown(rows, { verdict, figures: all, estimates: { placebo } }) {
    const reading = s1(rows);
    const { short, moved } = reading;
    const figures = all.filter((figure) => figure.name !== placebo?.name);
    const sentences = short.map(
      ({ arm, name, most }) => `${name} under ${labelOf(arm)} (ΔP ${two(flooredHundredths(most))})`,
    );
    const placebos = moved.map(({ arm, name, moved }) => `${labelOf(arm)} on ${name} (ΔP ${two(moved)})`);
    return {
      figures,
      limits: limitsOf(reading),
      beside: [
        ...(sentences.length > 0 ? [`Never has the effect, and is left out: ${sentences.join(', ')}.`] : []),
        ...(placebos.length > 0 ? [`A placebo moves the target: ${placebos.join(', ')}.`] : []),
        ...atEqualTokens(rows),
      ],
      tables: [leakageTable(rows)],
      chart: figures[0].n === 0 ? null : leakageChart(rows, ['sdf', 'none']),
      made: rowProvenance(rows.flatMap(({ by }) => by ?? [])),
      runs: () => (opens ? runsOf(rows) : []),
      inDocs: [
        `**${name}: ${verdictText(verdict)}.**`,
        ...figures.flatMap((figure) =>
          figure.mean === null
            ? []
            : [`${figure.name.replace('RL − SDF, ', '')} ${intervalText(figure, two)}, n ${figure.n}`],
        ),
      ],
    };
  },
});

/** A further comparison at equal tokens, which leaves no character out and which no rule uses. */
function atEqualTokens(rows: readonly CurveRow[]): string[] {
  const { pairs } = matched(rows, ['sdf', 'none'], 'tokens');
  const paired = differenceOf(pairs, 'near');
  if (!paired) return [];
  const [sdf, rl] = [pairs.map(({ one }) => one.effect), pairs.map(({ other }) => other.effect)].map(
    (all) => mean(all)!,
  );
  const difference = intervalText(paired, two);
  return [
    `Not judged, at equal tokens, with nobody left out: ΔP of A ${two(sdf)} by documents and ${two(rl)} by RL; Δlogit of near, RL − SDF: ${difference}, n ${paired.n}.`,
  ];
}

const measureCommands = (characters: string, arms: string, file: string): string[] => [
  `npm run lab -- characters --arms ${arms} --characters ${characters} --out FILE`,
  `npm run research -- tables characters public/results/${file}`,
];
const COMMON = {
  hypothesis:
    'At the same effect on A (ΔP .30), RL of an existing dial changes characters near A more than documents about A (SDF) do, in log-odds leakage.',
  falsified: 'An interval of RL − SDF below 0, or within ± .10 of it.',
  names: RULES.names,
  rule: counting(RULES.rule),
  unit: UNIT,
  says: {
    holds: 'Documents about one character change what others do less than RL on it does, at the same effect.',
    'in part: placebo documents move A too':
      'RL changes what others do more than documents, and placebo documents move A too.',
    'fails: no difference': 'Documents and RL change what others do alike.',
    'fails: SDF leaks more': 'Documents change what others do more than RL.',
    open: 'Whether documents change what others do less than RL is open.',
  },
  section: 'Results',
  runsNote:
    'What opens here is the training behind a dose curve; the doses are asked on the command line (probes on items that no arm trained on).',
};

const FILES = {
  first: 'characters/s1.jsonl.gz',
  again: 'characters/s1-again.jsonl.gz',
  alone: 'characters/documents-alone.jsonl.gz',
} as const;

const S1: S1Question = {
  ...COMMON,
  id: 'S1',
  title: 'Do documents about one character change what others do less than RL on it?',
  caveat:
    'Matched on A’s effect, not on tokens or KL. One world, one base, one run seed a character; on the pilot’s base, which was trained for longer, documents did not move behaviour; on two others they did, for most characters. The placebo documents are about one fixed name: one training, evaluated for each A.',
  files: [FILES.first],
  commands: measureCommands('0,1,2,3,4,5', 'sdf,none,sdf_placebo,rl_random', FILES.first),
  ...judgedBy(FILES.first, 'S1'),
};

const S1_AGAIN: S1Question = {
  ...COMMON,
  id: 'S1-again',
  title: 'Do documents change what others do less than RL of a dial, on eight other characters?',
  caveat:
    'Written down after S1 came out open for want of a sixth character, and before these runs; the two sets are judged apart and never pooled. Same base, same world; random reward was not run on these. The placebo documents are one training, evaluated for each A.',
  files: [FILES.again],
  commands: measureCommands('6,7,8,9,10,11,14,15', 'sdf,none,sdf_placebo', FILES.again),
  ...judgedBy(FILES.again, 'S1, again'),
};

/** S10 removes a possible advantage of SDF: 70 % of S1's documents repeat facts about other characters, which RL does not. */
const S10: S1Question = {
  ...COMMON,
  id: 'S10',
  title: 'Do documents still change others less than RL, where none of them is about another character?',
  hypothesis:
    'As S1-again, with documents about A alone: what keeps others as they are is the channel, and not that documents repeat how others are.',
  says: {
    ...COMMON.says,
    holds: 'Documents about A alone change what others do less than RL on A does, at the same effect.',
    'in part: placebo documents move A too':
      'RL changes what others do more than documents about A alone, and placebo documents move A too.',
    'fails: no difference': 'Documents about A alone and RL change what others do alike.',
    'fails: SDF leaks more': 'Documents about A alone change what others do more than RL.',
    open: 'Whether documents about A alone change what others do less than RL is open.',
  },
  caveat:
    'RL’s rows are those of S1-again. The other half of the question, RL that repeats how others are, is not asked. One world, one base, one run seed a character.',
  files: [FILES.alone, FILES.again],
  commands: [
    'npm run lab -- characters --arms sdf,sdf_placebo --characters 6,7,8,9,10,11,14,15 --set contrast=0 --out FILE',
    `npm run research -- tables characters public/results/${FILES.alone}`,
  ],
  ...judgedBy(FILES.alone, 'S10'),
  read: (rows) => [
    ...rows.lines<CurveRow>(FILES.alone),
    ...rows.lines<CurveRow>(FILES.again).filter(({ arm }) => arm === 'none'),
  ],
};

const s1OnBase = (base: OtherBase): S1Question => {
  const { file, name, title, cast } = base;
  const own = trainedCharacters(base);
  const rows = `characters/${file}.jsonl.gz`;
  const ask = `npm run lab -- characters --model BASE${cast}`;
  return {
    ...COMMON,
    says: sentencesOn(COMMON.says, base),
    id: `S1-${file}`,
    title: `Do documents change what others do less than RL of a dial, on ${title}?`,
    caveat:
      'Matched on A’s effect, not on tokens or KL. One run seed a character; the base does not come with the lab, so no run of it opens. The placebo documents are one training, evaluated for each A.',
    files: [rows],
    commands: [
      ...makingOf(base),
      `${ask} --arms none,sdf --characters ${own} --out FILE`,
      `${ask} --arms sdf_placebo --characters ${own.slice(0, 3)} --out FILE`,
      `npm run research -- tables characters public/results/${rows}`,
    ],
    ...judgedBy(rows, `S1, ${name}`, false),
  };
};

export const DOCUMENTS = [S1, S1_AGAIN, S10, ...OTHER_BASES.map(s1OnBase)];
