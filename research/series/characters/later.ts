// S2 to S12 as questions, built from the texts, rules and named estimators of words.ts, on the base that comes with the lab and on others.

import { EFFECT } from '../../../src/experiments/characters/judging.ts';
import { type CurveRow, isPlain } from '../../../src/experiments/characters/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Chart, Table } from '../../../src/experiments/judge/figures.ts';
import { type Rule, verdictText } from '../../../src/experiments/judge/rule.ts';
import { markdownTable } from '../../../src/experiments/judge/table.ts';
import { inWords, two } from '../../../src/lib/numbers.ts';
import { dotChart } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { makingOf, OTHER_BASES, type OtherBase, sentencesOn } from './bases.ts';
import { byCharacter, leakageChart, leakageTable, runsOf } from './leakages.ts';
import { LATER as ASKED, type CharacterQuestion, COMMON, ERASING, REPLAY_ROWS, ROUTING } from './words.ts';

/** Questions that were repeated on other bases: their name there, and their rows of a base. */
const replayed = ({ replayed }: OtherBase) => (replayed ? [replayed] : []);
const more = ({ more }: OtherBase) => (more ? [more.file] : []);
const ASKED_AGAIN: Readonly<Record<string, { as: string; rows: (base: OtherBase) => string[] }>> = {
  'S2 again': { as: 'S2', rows: more },
  S3: { as: 'S3', rows: more },
  S4: { as: 'S4', rows: more },
  S6: { as: 'S6', rows: (base) => (base.projected ? [...more(base), base.projected.routed] : []) },
  S8: { as: 'S8', rows: ({ projected }) => (projected ? [projected.routed] : []) },
  'S8 erase': { as: 'S8 erase', rows: ({ projected }) => (projected ? [projected.routed, projected.erased] : []) },
  S11: { as: 'S11', rows: replayed },
  S12: { as: 'S12', rows: replayed },
};

export const UNIT = 'characters';
/** Number of groups drawn: near, far and other. */
const DRAWN = 3;

/** Adds the meaning of “the effect” to a rule. */
export const counting = <Key extends string>(
  rule: Rule<Key>,
  after = `The effect: ΔP of A ${inWords(EFFECT)}.`,
): Rule<Key> => ({ ...rule, after });

/** Notes as a sentence. */
const asSentence = (notes: readonly string[]): string => {
  const text = notes.join('; ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
};

/** The commands that make a file of a base's rows. */
function rowsCommands(file: string, base: OtherBase): readonly string[] {
  const { projected, replayed, cast, more } = base;
  const model = `npm run lab -- characters --model BASE${cast}`;
  const named = (arms: readonly string[]) =>
    arms.map((flags) => `${model} --names ${more?.names} --asked dial ${flags} --out FILE`);
  if (file === replayed) return REPLAY_ROWS.map((one) => one.replace('npm run lab -- characters', model));
  if (file === projected?.routed) return named([ROUTING]);
  if (file === projected?.erased) return named(ERASING);
  return named(['--arms none,rl_algorithm,sft,sdf']);
}

/** The same question on a base that does not come with the lab, if it was repeated there. */
function onOtherBase(question: CharacterQuestion, base: OtherBase): CharacterQuestion[] {
  const again = ASKED_AGAIN[question.id];
  const rows = again?.rows(base) ?? [];
  if (rows.length === 0) return [];
  return [
    {
      ...question,
      id: `${again.as} ${base.name}`,
      title: `${question.id.replace(' ', ', ')}, on ${base.title}`,
      says: sentencesOn(question.says, base),
      caveat: ['The base does not come with the lab: no run of it opens.', question.elsewhere, COMMON]
        .filter(Boolean)
        .join(' '),
      commands: [
        ...makingOf(base),
        ...rows.flatMap((file) => [
          ...rowsCommands(file, base),
          `npm run research -- tables characters public/results/characters/${file}.jsonl.gz`,
        ]),
      ],
      rows,
      isElsewhere: true,
    },
  ];
}

/** `S2 seed 2-on` becomes `S2-seed2-on`, `S6 LoRA again` becomes `S6-lora-again`. */
const idOf = (id: string) =>
  id
    .replace(/ (?=\d)/g, '')
    .replaceAll(' ', '-')
    .replace('LoRA', 'lora');

/** Means by arm, and those without a name and with novel ones, are in the table. */
const isListed = ({ name, mean }: Estimate): boolean =>
  mean !== null && (name.includes(' − ') || /log-odds|alone/.test(name)) && !/, no(name|vel)$/.test(name);

/** Rows with replay belong only to the questions about replay. */
export const measureQuestion = ({ measure, isOfReplay }: CharacterQuestion, rows: readonly CurveRow[]) =>
  measure(isOfReplay ? rows : rows.filter(isPlain));

function questionOf(question: CharacterQuestion): Question<readonly CurveRow[]> {
  const { id, title, hypothesis, falsified, names, rule, says, caveat, commands, isElsewhere } = question;
  const measure = (rows: readonly CurveRow[]) => measureQuestion(question, rows);
  const { main, x, arms, drawn = /./, tables, runsNote } = question;
  const files = question.rows.map((name) => `characters/${name}.jsonl.gz`);
  const chartOf = (rows: readonly CurveRow[], figures: readonly Estimate[]): Chart =>
    arms
      ? leakageChart(rows, arms, DRAWN)
      : dotChart(
          'Means over characters',
          x,
          figures.filter(({ mean, name }) => mean !== null && drawn.test(name)),
          'none',
        );
  return {
    id: idOf(id),
    title,
    hypothesis,
    falsified,
    names,
    rule: counting(rule, question.counted),
    unit: UNIT,
    says,
    caveat,
    commands,
    files,
    section: 'Questions and rules',
    runsNote:
      runsNote ??
      'What opens here is the training behind a dose curve; the doses are asked on the command line (probes on items that no arm trained on).',
    show: two,
    read: (rows) => files.flatMap((file) => rows.lines<CurveRow>(file)),
    estimates: (rows) => measure(rows).estimates,
    shown(rows, { verdict }) {
      const { figures: all, notes, limits } = measure(rows);
      const figures = question.isListed ? all : all.filter((figure, i) => i < main || isListed(figure));
      // A figure without rows is named among the notes.
      const line = figures.slice(0, main).filter(({ n }, i) => i === 0 || n > 0);
      const own = rows.filter(({ model }) => model === undefined);
      const shownTables: readonly Table[] = tables
        ? tables(rows)
        : [leakageTable(own), byCharacter(rows, id.startsWith('S2') ? 'other' : 'near')];
      return {
        figures,
        line,
        limits: limits?.(verdict.status) ?? [],
        beside:
          notes.length === 0
            ? []
            : [question.isListed ? asSentence(notes) : `Never has the effect, and is left out: ${notes.join('; ')}.`],
        tables: shownTables,
        chart: chartOf(own, figures),
        runs: () => (isElsewhere ? [] : runsOf(rows)),
        inDocs: [
          `**${id.replace(' ', ', ')}: ${verdictText(verdict)}`,
          ...line.filter(({ mean }) => mean !== null).map((figure) => intervalText(figure, two)),
          ...(question.isListed ? markdownTable(shownTables[0]).slice(2) : []),
        ],
      };
    },
  };
}

/** Each question, followed by its repetitions on other bases. */
export const ALL_ASKED: readonly CharacterQuestion[] = ASKED.flatMap((question) => [
  question,
  ...OTHER_BASES.flatMap((base) => onOtherBase(question, base)),
]);

export const LATER = ALL_ASKED.map(questionOf);
/** The questions on the base that comes with the lab. */
export const ON_OWN_BASE = ASKED.map(questionOf);
