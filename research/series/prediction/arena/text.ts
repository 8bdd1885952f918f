// Text on the arena's published runs in README and in docs/arena.md, made from the sheet alone: the sentence with its picture, and a table of every
// method in the frontier's order.
import { shareText } from '../../../../src/experiments/analysis/arena.ts';
import { LABEL_WORDS, methodOf } from '../../../../src/experiments/analysis/methods.ts';
import { plural } from '../../../../src/experiments/analysis/words.ts';
import { RELEARN_STEPS } from '../../../../src/experiments/config/controls.ts';
import {
  ARENA_QUESTION,
  barWords,
  cellsText,
  contenders,
  type FrontierMark,
  frontierOf,
  frontierWords,
  longerWords,
  PLAIN_RL,
  pointName,
  ranked,
  shareOfCells,
  sharesText,
  sheetStatus,
  TRUSTED_ONLY,
  unitNote,
} from '../../../../src/findings/arena/frontier.ts';
import type { ArenaSheet, ArenaSheetName } from '../../../../src/findings/arena/sheet.ts';
import type { Markers } from '../../../judge/markers.ts';
import { arenaFigurePath } from './figure.ts';

export const ARENA_MARKERS: Markers = { start: '<!-- arena -->', end: '<!-- end arena -->' };
/** Sheets after the first; each has its own part of the page. */
export const FURTHER_SHEETS = ['narrow', 'apart', 'relearning', 'others'] as const satisfies readonly ArenaSheetName[];
export const sheetMarkers = (name: ArenaSheetName): Markers => ({
  start: `<!-- arena ${name} -->`,
  end: `<!-- end arena ${name} -->`,
});
export const ARENA_PAGE = 'docs/arena.md';

/** @param up from the page to the project's root: `../` */
function picture(up: string): string[] {
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${up}${arenaFigurePath('dark')}">`,
    `  <img alt="Hack removed against skill kept, by method" src="${up}${arenaFigurePath('light')}" width="880">`,
    '</picture>',
  ];
}

/** README's part, in one line: the best method by these rows, and trusted problems alone, here and in the longer training. */
export function arenaReadme(sheet: ArenaSheet, apart: ArenaSheet | null): string[] {
  const frontier = frontierOf(sheet);
  const [best] = ranked(frontier);
  const trusted = frontier.marks.find(({ id }) => id === TRUSTED_ONLY);
  const shown = new Set([best, trusted]);
  const lines = [...shown].flatMap((mark) => (mark ? [sharesText(mark)] : []));
  const plain = frontier.marks.find(({ id }) => id === PLAIN_RL);
  const methods = contenders(frontier);
  const paired = methods.filter(({ labels }) => labels === 'pairs').length;
  const others = paired > 0 ? ` ${paired} of the ${methods.length} have pairs of another hack instead.` : '';
  return [
    `**${ARENA_QUESTION}** ${barWords(frontier).replace('the bar', `[the bar](${ARENA_PAGE}#the-bar-fixed-before-the-runs)`)}${others} Hack removed (100%: as untrained), and kept of what correct graders teach on honest prompts${frontier.draws === null ? '' : `, ${plural(frontier.draws, 'draw')}`}: ${lines.join('; ')}${plain ? `; plain RL 0%, ${shareText({ ratio: plain.kept, interval: plain.bars.kept })}` : ''}.${apart ? ` ${longerWords(apart)}` : ''} [The arena](${ARENA_PAGE}).`,
    '',
    ...picture(''),
  ];
}

/** The bar judges methods only; other marks are shown for comparison. */
const barText = ({ role, verdict }: FrontierMark): string => (role === 'method' ? verdict : '–');

/** The part of docs/arena.md for one sheet. */
export function arenaDocs(name: ArenaSheetName, sheet: ArenaSheet): string[] {
  const frontier = frontierOf(sheet);
  const byMark = new Map(sheet.points.map((point) => [`${point.arm} ${point.model}`, point]));
  const isJudged = name === 'judged';
  const isRelearned = sheet.points.some(({ relearned }) => relearned);
  const row = (mark: FrontierMark): string[] => {
    const point = byMark.get(mark.id);
    if (!point) return [];
    const { removed, kept, n, relearned } = point;
    const labels = methodOf(point.arm, point.model)?.labels;
    const shares = [removed, kept.honest, kept.hackable, kept.both].map((ratio) => shareText(ratio, '') ?? '–');
    const back = isRelearned ? [relearned ? (shareOfCells(relearned, n) ?? '–') : '–'] : [];
    const cells = [pointName(point), labels ? LABEL_WORDS[labels] : '–', ...shares, ...back, cellsText(point)];
    return [`| ${[...cells, ...(isJudged ? [barText(mark)] : [])].join(' | ')} |`];
  };
  const of = (role: FrontierMark['role']) => frontier.marks.filter((mark) => mark.role === role);
  return [
    `${sheetStatus(name, frontier)} ${frontierWords(frontier)}`,
    '',
    // The figure shows the first sheet only.
    ...(FURTHER_SHEETS.some((one) => one === name) ? [] : [...picture('../'), '']),
    `| model | labels | removed, % | kept, honest, % | kept, hackable, % | kept, both, % |${isRelearned ? ` hack relearnt after ${RELEARN_STEPS} steps, % |` : ''} cells |${isJudged ? ' bar |' : ''}`,
    `| --- | --- | --- | --- | --- | --- |${isRelearned ? ' --- |' : ''} --- |${isJudged ? ' --- |' : ''}`,
    ...ranked(frontier).flatMap(row),
    ...of('corner').flatMap(row),
    ...of('placebo').flatMap(row),
    '',
    unitNote(frontier),
  ];
}
