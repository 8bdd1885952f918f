// The front page of the findings as text for the docs: ten sentences with their pictures, the table of questions, and the page on whether a
// basis of one hack stops another.

import { AGE_WORDS, type EntryVerdict, type Front } from '../../src/findings/front.ts';
import { OPEN_KINDS, OPEN_WORDS } from '../../src/findings/open-kind.ts';
import { seriesOf } from '../../src/findings/series.ts';
import type { Markers } from '../judge/markers.ts';

export const TEN_MARKERS: Markers = { start: '<!-- ten -->', end: '<!-- end ten -->' };
export const TABLE_MARKERS: Markers = { start: '<!-- table -->', end: '<!-- end table -->' };
export const ELSEWHERE_MARKERS: Markers = { start: '<!-- other-hack -->', end: '<!-- end other-hack -->' };
/** The page on whether a basis of one hack stops another. */
export const ELSEWHERE_PAGE = 'docs/explanation/other-hack.md';

/** Path below the project of a sentence's picture. @param number from 1 */
export const tenFigurePath = (number: number): string => `docs/figures/finding-${number}.svg`;

/** A verdict's text: `C14 *fails: they end alike*, rule partly post hoc`. */
function judgedText({ id, word, age }: EntryVerdict): string {
  return `${id} *${word}*${age === null ? '' : ` (${AGE_WORDS[age]})`}`;
}

/** Numbered sentences, each with its data, the entries that judge it, and its picture. */
export const tenLines = ({ sentences }: Pick<Front, 'sentences'>): string[] =>
  sentences.flatMap(({ text, isNegative, counted, series, by, picture }, i) => [
    `${i + 1}. ${isNegative ? `**${text}**` : text}`,
    '',
    `    ${counted}. Judged by ${by.map(judgedText).join(', ')}: [lab book](../${seriesOf(series).docs.replace(/^docs\//, '')}).`,
    '',
    `    ![${picture.title}](../figures/finding-${i + 1}.svg)`,
    '',
  ]);

/** An open verdict by its type, any other in its own words. */
const cellText = ({ id, standing, open, n, age }: EntryVerdict, stem: string): string => {
  const variant = id === stem ? '' : `${id.slice(stem.length + 1)}: `;
  const late = age === 'younger' || age === 'partly younger' ? `, ${AGE_WORDS[age]}` : '';
  return `${variant}${open ?? standing}${n > 0 ? `, n ${n}` : ''}${late}`;
};

export const tableLines = ({ questions, columns }: Pick<Front, 'questions' | 'columns'>): string[] => [
  `| question | ${columns.join(' | ')} |`,
  `| --- | ${columns.map(() => '---').join(' | ')} |`,
  ...questions.map(({ id, title, cells }) => {
    const texts = cells.map((entries) => entries.map((entry) => cellText(entry, id)).join('; '));
    return `| **${id}** ${title} | ${texts.join(' | ')} |`;
  }),
  '',
  `Open is one of four: ${OPEN_KINDS.map((kind) => `*${kind}* (${OPEN_WORDS[kind]})`).join('; ')}. *Post hoc*: the rule is younger than the rows; *partly post hoc*: than some of them. n counts the unit of the question.`,
];

export const elsewhereLines = ({ elsewhere: { said, head, rows, notes, by } }: Pick<Front, 'elsewhere'>): string[] => [
  ...said
    .map((sentence, i) => (i === 0 ? `**${sentence}**` : `- ${sentence}`))
    .flatMap((line, i) => (i === 0 ? [line, ''] : [line])),
  '',
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
  ...notes.flatMap((note) => [note, '']),
  `Judged by ${by.map(judgedText).join(', ')}.`,
];
