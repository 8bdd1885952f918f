// S2 to S9: the questions that stand as data beside their rules (experiments/characters/questions.ts), as Findings shows them: their
// words and judge are taken from there, what is added to the words from later-words.ts; picture and links are made here.

import { two } from '../../../lib/numbers.ts';
import { makingOf, type OtherBase, saysOn } from '../../characters/bases.ts';
import type { BoundedEstimate } from '../../characters/judging.ts';
import { CHARACTER_QUESTIONS, type CharacterQuestion } from '../../characters/questions.ts';
import { relearnt } from '../../characters/relearning.ts';
import type { CurveRow } from '../../characters/rows.ts';
import { dotsOf, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs } from '../../judge/question.ts';
import { markdownTable, tableOf } from '../../judge/table.ts';
import type { Estimate, Judged, Rows, SeriesQuestion, Table } from '../../judge/types.ts';
import { ADDED, type Added, COMMON, ERASING, RELEARNING, ROUTING } from './later-words.ts';
import { byCharacter, leakageDots, leakageTable, runsOf } from './leakages.ts';

const UNIT = 'characters';
/** Near, far and other. */
const DRAWN = 3;

/** The docs have the first of them row for row. */
const withTables = (judged: Judged, tables: readonly Table[]): Judged => ({
  ...{ ...judged, tables },
  inDocs: [...judged.inDocs, ...markdownTable(tables[0]).slice(2)],
});

/** Notes as a sentence. */
const said = (notes: readonly string[]): string => {
  const text = notes.join('; ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
};

/** Flags of the commands that make a base's rows. */
function armsOf(file: string, { projected }: OtherBase): readonly string[] {
  if (file === projected?.routed) return [ROUTING];
  if (file === projected?.erased) return ERASING;
  return ['--arms none,rl_algorithm,sft,sdf'];
}

/** On a base that does not come with the lab. */
const elsewhere = (added: Added, base: OtherBase, rows: readonly string[]): Added => ({
  ...added,
  says: saysOn(added.says, base),
  caveat: `The base does not come with the lab: no run of it opens. ${COMMON}`,
  commands: [
    ...makingOf(base),
    ...rows.flatMap((file) => [
      ...armsOf(file, base).map(
        (arms) =>
          `npm run lab -- characters --model BASE${base.cast} --names ${base.more?.names} --asked dial ${arms} --out FILE`,
      ),
      `npm run lab -- characters --rows public/results/characters/${file}.jsonl.gz`,
    ]),
  ],
});

const estimateOf = ({ name, n, mean, low, high }: BoundedEstimate): Estimate => ({
  ...{ name, word: null, n, mean },
  interval: low === null || high === null ? null : { low, high },
  each: [],
});

/** `S2 seed 2-on` is `S2-seed2-on`, `S6 LoRA again` `S6-lora-again`. */
const idOf = (id: string) =>
  id
    .replace(/ (?=\d)/g, '')
    .replaceAll(' ', '-')
    .replace('LoRA', 'lora');

function entry({ id, title, hypothesis, falsifier, rule, rows: names, judge, on }: CharacterQuestion): SeriesQuestion {
  const added = on ? elsewhere(ADDED[on.id], on.base, names) : ADDED[id];
  const words = {
    id: idOf(id),
    title,
    hypothesis,
    falsified: falsifier,
    rule,
    unit: UNIT,
  };
  if (!judge || !added || names.length === 0)
    return { ...words, says: {}, caveat: '', section: 'What this does not say', files: [], commands: [] };
  const { main, x, says, caveat, commands, arms, drawn = /./, tables, runsNote } = added;
  const files = names.map((name) => `characters/${name}.jsonl.gz`);
  return {
    ...words,
    ...{ says, caveat, commands, files, section: 'Questions and rules' },
    runsNote:
      runsNote ??
      'What opens here is the training behind a dose curve; the doses are asked on the command line (probes on items that no arm trained on).',
    judge(rows: Rows) {
      const all = files.flatMap((file) => rows.lines<CurveRow>(file));
      const { verdict, figures: own, notes, limits = [] } = judge(all);
      // Means by arm, and those of no name and of novel ones, stand in the table.
      const figures = own
        .filter(
          ({ name, mean }, i) =>
            tables ||
            i < main ||
            (mean !== null && (name.includes(' − ') || /log-odds|alone/.test(name)) && !/, no(name|vel)$/.test(name)),
        )
        .map(estimateOf);
      // What was not run is told among the notes.
      const first = figures.slice(0, main).filter(({ n }, i) => i === 0 || n > 0);
      const judged = judgedAs(
        verdict,
        { unit: UNIT, show: two, figures, line: first },
        {
          limits,
          beside:
            notes.length === 0
              ? []
              : [tables ? said(notes) : `Never has the effect, and is left out: ${notes.join('; ')}.`],
          tables:
            id === RELEARNING
              ? [relearntTable(all)]
              : [
                  leakageTable(all.filter(({ model }) => model === undefined)),
                  byCharacter(all, id.startsWith('S2') ? 'other' : 'near'),
                ],
          chart: arms
            ? {
                kind: 'dots',
                title: 'Log-odds leakage by group, a dot a character',
                x: 'Δlogit of the group / Δlogit of A',
                bounds: [ZERO, { at: 1, label: 'as A' }],
                rows: leakageDots(
                  all.filter(({ model }) => model === undefined),
                  arms,
                  DRAWN,
                ),
              }
            : {
                kind: 'dots',
                title: 'Means over characters',
                x,
                bounds: [ZERO],
                rows: dotsOf(
                  figures.filter(({ mean, name }) => mean !== null && drawn.test(name)),
                  () => 'none',
                ),
              },
          runs: on ? [] : runsOf(all),
          inDocs: [
            `**${id.replace(' ', ', ')}: ${verdict}`,
            ...first.filter(({ mean }) => mean !== null).map((figure) => shown(figure, two)),
          ],
        },
      );
      return tables ? withTables(judged, tables(all)) : judged;
    },
  };
}

export const LATER: readonly SeriesQuestion[] = CHARACTER_QUESTIONS.filter(({ id }) => !id.startsWith('S1')).map(entry);

// Relearning as Findings shows it: in how many steps B has the effect, from the base and from each model that was taught A before.

export const relearntTable = (rows: readonly CurveRow[]) =>
  tableOf(
    'Steps until P of B is .30 above the untrained base’s; a dash where it never is, or where A had not the effect',
    relearnt(rows),
    [
      ['A', ({ a }) => a],
      ['B', ({ b }) => b],
      ['from the base', ({ base }) => base],
      ['after documents', ({ steps }) => steps.documents],
      ['after placebo documents', ({ steps }) => steps.placebo],
      ['after RL of A', ({ steps }) => steps.RL],
    ],
    (steps) => steps.toFixed(1),
  );
