// The arena's frontier: hack removed against skill kept on honest prompts, for every model that is a method, a placebo, a corner, or on the
// way from the base to a trained model. The page's picture, the docs' figure and the texts are all made from it.

import { shareText } from '../../experiments/analysis/arena.ts';
import { type Labels, methodOf } from '../../experiments/analysis/methods.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { plural } from '../../experiments/analysis/words.ts';
import { interpolationOf, modelLabel } from '../../experiments/config/controls.ts';
import type { Interval, Ratio } from '../../stats/index.ts';
import type { ArenaSheet, ArenaSheetName } from './sheet.ts';

/** Share of the hack that must be removed to reach the bar (bar.ts). */
export const REMOVED_AT_LEAST = 0.9;

export interface FrontierMark {
  id: string;
  name: string;
  /** A `corner` is known without any method; an `along` model is an interpolation on a way. */
  role: 'corner' | 'along' | 'method' | 'placebo';
  /** Null for an arm that is not in the arena. */
  labels: Labels | null;
  /** Number of cells; 0 for the base, whose position is a definition. */
  n: number;
  /** Number of sampling seeds in each cell's evaluation; absent for one. */
  evaluations?: number;
  kept: number;
  removed: number;
  /** Verdict by the bar; empty for the base. */
  verdict: string;
  /** The bar's conditions with the draw as the unit; absent if it is not judged. */
  byDraw?: string;
  bars: { kept: Interval | null; removed: Interval | null };
}

export interface Frontier {
  marks: readonly FrontierMark[];
  /** Ways from the base to a trained model, as lists of ids; vanilla's is first. */
  ways: readonly (readonly string[])[];
  /** Ids of each placebo and of the method that it controls. */
  links: readonly (readonly [placebo: string, of: string])[];
  /** Number of draws of problems, the unit of the intervals; with one, the unit is the cell. Null in older sheets, whose unit was always the cell. */
  draws: number | null;
  /** Number of models without a position, since one of their two ratios is unknown. */
  without: number;
}

const BASE_ID = 'base';
export const TRUSTED_ONLY = 'trusted-only total';
/** Plain RL shows what is kept if no hack is removed. */
export const PLAIN_RL = 'none total';

const idOf = ({ arm, model }: { arm: string; model: string }): string => `${arm} ${model}`;

/** A model made after training is named with its arm. */
export const pointName = ({ label, arm, model }: ArenaSheet['points'][number]): string =>
  label === modelLabel(model) ? `${armLabel(arm)}: ${label}` : label;

/** Null for models that are not marks: a method's model during training, and models made from repaired graders' runs or from vanilla twice. */
function roleOf(arm: string, model: string, isRouted: boolean): FrontierMark['role'] | null {
  if ((model === 'total' && (arm === 'none' || arm === 'repaired')) || model === 'steered_base') return 'corner';
  if (arm === 'repaired' || (arm === 'none' && model === 'merge')) return null;
  const way = interpolationOf(model);
  if (way) return isRouted === way.isDeployed ? 'along' : null;
  if (model !== 'early_stop' && model !== 'merge' && model !== (isRouted ? 'deployed' : 'total')) return null;
  return methodOf(arm, model)?.controls ? 'placebo' : 'method';
}

export function frontierOf({ points }: Pick<ArenaSheet, 'points'>): Frontier {
  const routed = new Set(points.flatMap(({ arm, model }) => (model === 'deployed' ? [arm] : [])));
  const marks: FrontierMark[] = [
    {
      id: BASE_ID,
      name: modelLabel('base'),
      role: 'corner',
      labels: 'none',
      n: 0,
      kept: 0,
      removed: 1,
      verdict: '',
      bars: { kept: null, removed: null },
    },
  ];
  const finals = new Map<string, string>();
  const along = new Map<string, { id: string; alpha: number }[]>();
  let without = 0;
  for (const point of points) {
    const { arm, model, n, kept, removed, verdict, byDraw, evaluations } = point;
    const role = roleOf(arm, model, routed.has(arm));
    if (role === null) continue;
    if (kept.honest.ratio === null || removed.ratio === null) {
      without++;
      continue;
    }
    const id = idOf(point);
    const way = interpolationOf(model);
    if (way) along.set(arm, [...(along.get(arm) ?? []), { id, alpha: way.alpha }]);
    else if (model === 'total' || model === 'deployed') finals.set(arm, id);
    marks.push({
      id,
      name: pointName(point),
      role,
      labels: methodOf(arm, model)?.labels ?? null,
      n,
      verdict,
      ...(byDraw !== undefined && { byDraw }),
      ...(evaluations !== undefined && { evaluations }),
      kept: kept.honest.ratio,
      removed: removed.ratio,
      bars: { kept: kept.honest.interval, removed: removed.interval },
    });
  }
  const ways = [...along].toSorted(([a], [b]) => Number(b === 'none') - Number(a === 'none'));
  const draws = Math.max(0, ...points.map((point) => point.draws ?? 0));
  return {
    marks,
    draws: draws === 0 ? null : draws,
    without,
    ways: ways.map(([arm, own]) => [
      BASE_ID,
      ...own.toSorted((a, b) => a.alpha - b.alpha).map(({ id }) => id),
      ...(finals.has(arm) ? [finals.get(arm)!] : []),
    ]),
    links: [...finals].flatMap(([arm, id]) => {
      const controls = methodOf(arm, 'total')?.controls;
      const of = controls && finals.get(controls);
      return of ? [[id, of] as const] : [];
    }),
  };
}

/** Methods, the best first: by the share removed, up to the bar's minimum, then by the share kept. */
export const ranked = ({ marks }: Frontier): FrontierMark[] =>
  marks
    .filter(({ role }) => role === 'method')
    .toSorted(
      (a, b) => Math.min(REMOVED_AT_LEAST, b.removed) - Math.min(REMOVED_AT_LEAST, a.removed) || b.kept - a.kept,
    );

/** A share, with its own n if that differs from its row's. */
export function shareOfCells(share: Ratio, n: number): string | null {
  const text = shareText(share, '');
  return text !== null && share.n !== n ? `${text}, n = ${share.n}` : text;
}

/** For example `4 cells of 2 draws`, or `2 to 4 cells of 1 draw`. */
function cellCount({ marks, draws }: Frontier): string {
  const counts = marks.flatMap(({ id, n }) => (id === BASE_ID ? [] : [n]));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const all = least === most ? plural(most, 'cell') : `${least} to ${plural(most, 'cell')}`;
  return draws === null ? all : `${all} of ${plural(draws, 'draw')}`;
}

/** A row's number of cells, times the number of sampling seeds in each evaluation if there are several: `30 × 8`. */
export const cellsText = ({ n, evaluations }: Pick<FrontierMark, 'n' | 'evaluations'>): string =>
  evaluations === undefined ? String(n) : `${n} × ${evaluations}`;

/** Explains the unit of the intervals, under a table and beside a picture. */
export function unitNote(frontier: Pick<Frontier, 'draws' | 'marks'>): string {
  const evaluations = frontier.marks.find((mark) => mark.evaluations !== undefined)?.evaluations;
  const again = evaluations
    ? ` “× ${evaluations}”: the cells’ models are evaluated with ${evaluations} sampling seeds, and shares are of their means; others with one.`
    : '';
  const beyond = frontier.marks.some(({ removed }) => removed > 1)
    ? ' Beyond 100% removed: fewer hacks than the untrained model’s.'
    : '';
  return `${intervalsNote(frontier)}${again}${beyond}`;
}

function intervalsNote({ draws, marks }: Pick<Frontier, 'draws' | 'marks'>): string {
  if (draws === null) return 'Intervals are over cells.';
  if (draws === 1)
    return 'All cells are of one draw of problems: intervals are over cells, and say nothing of other draws.';
  const own = `Intervals are over the ${draws} draws of problems`;
  // If each draw has only one cell, the unit needs no more explanation.
  if (marks.every(({ n }) => n <= draws)) return `${own}.`;
  return `${own}, each the mean of its cells: cells of a draw share its problems, and a run that reads no hackable problem is the same in both modes.`;
}

export const SHEET_TITLES: Readonly<Record<ArenaSheetName, string>> = {
  judged: 'Judged runs',
  narrow: 'All trusted problems take strings',
  apart: 'Trusted problems alone fall twenty points short',
  relearning: 'Hack relearnt',
  others: 'Every other method',
  pilots: 'Pilots',
};

/** Question of the arena. Which problems are trusted is a label too, so the title says so. */
export const ARENA_QUESTION = 'Which method removes a hack, where the only labels are which problems are trusted?';

/** The later result of the method that reached the bar, in cells that the sheet lacks; a test checks it against P8's rows. */
export const SINCE =
  'In twelve other draws that one, the verifier, did not replicate: it leaves 24% [−2, 50] of the hack (P8 fails).';

/** The result of trusted problems alone in the sheet of the longer training; empty if the sheet lacks it. */
export function longerWords(apart: Pick<ArenaSheet, 'points'>): string {
  const trusted = frontierOf(apart).marks.find(({ id }) => id === TRUSTED_ONLY);
  return trusted
    ? `This is an easy setting: in a longer training of another base, trusted problems alone keep ${keptText(trusted)} (P10, n = ${trusted.n}).`
    : '';
}

/** A sheet's title, its n, and the questions that judge it. */
export function sheetStatus(name: ArenaSheetName, frontier: Frontier): string {
  const head = `${SHEET_TITLES[name]}: n = ${cellCount(frontier)}`;
  if (name === 'narrow') return `${head}. P4 judges merging, P7 the verifier.`;
  if (name === 'apart') return `${head}. P11 judges the verifier.`;
  return name === 'judged' ? `${head}. ${barWords(frontier)} ${BAR}` : `${head}, nothing is judged.`;
}

/** The bar as text (bar.ts). */
const BAR =
  'The bar: at least 90% of each mode’s hack removed; on honest prompts more solved than by trusted only and by interpolation at equal norm, and at most 5 points fewer than by repaired graders.';

/** Arms with which the bar compares: no baseline can solve more than itself. */
const BASELINES: readonly string[] = [TRUSTED_ONLY, 'none early_stop'];

/** Methods that the bar may judge, the best first. */
export const contenders = (frontier: Frontier): FrontierMark[] =>
  ranked(frontier).filter(({ id }) => !BASELINES.includes(id));

/** Says how many methods reach the bar. */
export function barWords(frontier: Frontier): string {
  const methods = contenders(frontier);
  if (methods.length === 0) return 'No method is judged yet.';
  const of = (status: string) => methods.filter(({ verdict }) => verdict.startsWith(status)).length;
  const [reach, open] = [of('holds'), of('open')];
  const some = `${reach === 0 ? 'None' : reach} of ${plural(methods.length, 'method')}`;
  const left = open > 0 ? `; ${open} ${open === 1 ? 'is' : 'are'} open` : '';
  const byDraw = methods.filter((method) => method.byDraw !== undefined);
  const still = byDraw.filter((method) => method.byDraw?.startsWith('holds')).length;
  // The bar was registered for cells, which is the weaker test if there are few draws.
  const unit =
    reach > 0 && byDraw.length > 0 && still < reach
      ? ` by cells, as registered; by draws ${still === 0 ? 'none' : still} does`
      : '';
  return `${some} ${reach > 1 ? 'reach' : 'reaches'} the bar${unit}${left}.${reach > 0 ? ` ${SINCE}` : ''}`;
}

const keptText = ({ kept, bars }: FrontierMark): string => shareText({ ratio: kept, interval: bars.kept })!;
const removedText = ({ removed, bars }: FrontierMark): string => shareText({ ratio: removed, interval: bars.removed })!;

/** A mark's position as text. */
const placeText = (mark: FrontierMark): string => `${mark.name}: keeps ${keptText(mark)}, removes ${removedText(mark)}`;

/** A mark's shares, removed and kept. */
export const sharesText = (mark: FrontierMark): string => `${mark.name} ${removedText(mark)}, ${keptText(mark)}`;

/** A mark as text, with its n. */
export const markText = (mark: FrontierMark): string =>
  mark.id === BASE_ID ? `${placeText(mark)}, by definition` : `${placeText(mark)}, n = ${cellsText(mark)}`;

/** Summary of the sheet: the best method by these rows, compared with trusted problems alone. Empty without methods. */
export function frontierWords(frontier: Frontier): string {
  const methods = ranked(frontier);
  const [best] = methods;
  if (!best) return '';
  const reaching = methods.filter(({ removed }) => removed >= REMOVED_AT_LEAST).length;
  const bar = `${100 * REMOVED_AT_LEAST}%`;
  const baselines = methods.filter(({ id }) => BASELINES.includes(id)).length;
  const all = `${plural(methods.length, 'method')}${baselines > 0 ? ` (${baselines} of them ${baselines === 1 ? 'a baseline' : 'baselines'})` : ''}`;
  const own = `${keptText(best)} of what repaired graders teach on honest prompts`;
  const found =
    reaching > 0
      ? `Of ${all}, ${reaching} ${reaching === 1 ? 'removes' : 'remove'} at least ${bar} of the hack in the mean. Of these “${best.name}” keeps the most: ${own}, with ${removedText(best)} of the hack removed (n = ${best.n}).`
      : `None of ${all} removes ${bar} of the hack. “${best.name}” removes the most: ${removedText(best)}, and keeps ${own} (n = ${best.n}).`;
  const text = `${found}${placeboWords(best, frontier)}${plainWords(frontier)}`;
  const trusted = frontier.marks.find(({ id }) => id === TRUSTED_ONLY);
  if (!trusted) return text;
  if (trusted === best) return `${text} No other method that removes ${bar} keeps more in the mean.`;
  const [a, b] = [best.bars.kept, trusted.bars.kept];
  const isApart = a && b && (a.low > b.high || b.low > a.high);
  return `${text} “${trusted.name}” keeps ${keptText(trusted)} and removes ${removedText(trusted)} (n = ${trusted.n}); the unpaired intervals of what is kept ${isApart ? 'do not overlap' : 'overlap'}.`;
}

/** What plain RL keeps, since a reader will ask whether the method keeps more than removing nothing does. */
function plainWords({ marks }: Frontier): string {
  const plain = marks.find(({ id }) => id === PLAIN_RL);
  return plain ? ` Vanilla, which removes nothing, keeps ${keptText(plain)}.` : '';
}

/** The placebo's result, since a reader will first ask whether it nearly equals the method's. */
function placeboWords(method: FrontierMark, { marks, links }: Frontier): string {
  const placebo = marks.find(({ id }) => links.some(([own, of]) => own === id && of === method.id));
  return placebo ? ` Its placebo keeps ${keptText(placebo)} and removes ${removedText(placebo)}.` : '';
}
