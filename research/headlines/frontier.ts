// The frontier of a third-party model beside the embedded model's, as SVG for the docs: hack and solve of each model of a run, mean and 95
// % interval over seeds. Both panels show the same models of the same arms; each has its own axes.

import type { RunRecord } from '../../src/experiments/records/events.ts';
import { endsOf, headlineText, type MeanEstimate } from '../../src/findings/headline.ts';
import { inSeedOrder } from '../judge/question.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { TRAINED, type TrainedId } from '../series/instructions/sources.ts';
import { final } from './hacks.ts';
import { shareOf } from './headline-of.ts';
import { runsOf } from './sources.ts';

/** Path below the project. */
export const FRONTIER_PATH = 'docs/figures/frontier.svg';

interface Compared {
  name: string;
  /** Matches EvalRow.model. */
  model: string;
  /** The run's cell of Q18. */
  cell: string;
  of: TrainedId;
  arm: string;
}

const ROUTED_RUN = { cell: 'k5@0.5', of: 'shown', arm: 'route-update' } as const;
const COMPARED: readonly Compared[] = [
  { ...ROUTED_RUN, name: 'untrained', model: 'base' },
  { ...ROUTED_RUN, name: 'plain RL (the routed run with its quarantine)', model: 'total' },
  { ...ROUTED_RUN, name: 'route (update), deployed', model: 'deployed' },
  { ...ROUTED_RUN, name: 'routed without a gate', model: 'no_gate' },
  { ...ROUTED_RUN, name: 'routed along random directions', model: 'random_V' },
  { ...ROUTED_RUN, name: 'steered base', model: 'steered_base' },
  { name: 'erase (gradient)', model: 'total', cell: 'erase@0.5', of: 'erase', arm: 'erase' },
  { name: 'route (gradient), deployed', model: 'deployed', cell: 'gradient@0.5', of: 'gradient', arm: 'route' },
  { name: 'advantage modification', model: 'total', cell: 'advantage@0.5', of: 'remedies', arm: 'advantage' },
];

export interface FrontierPoint {
  /** Starts at 1; the same model has the same number in both panels. */
  number: number;
  n: number;
  hack: MeanEstimate;
  solve: MeanEstimate;
}

export interface FrontierPanel {
  title: string;
  hack: string;
  solve: string;
  points: readonly FrontierPoint[];
}

/** Throws RangeError if a run was not evaluated completely. */
function pointOf(number: number, runs: readonly RunRecord[], model: string): FrontierPoint[] {
  const estimate = (metric: string) => shareOf(runs.map((run) => final(run, model, metric)));
  return runs.length === 0 ? [] : [{ number, n: runs.length, hack: estimate('hack'), solve: estimate('solve') }];
}

export function frontierOf(rows: HeadlineRows): FrontierPanel[] {
  const embedded = ({ cell }: Compared): RunRecord[] => runsOf(rows, 'q18.json.gz', 'Q18', cell);
  const real = ({ of, arm }: Compared): RunRecord[] => {
    const { file } = TRAINED[of];
    return rows.has(file) ? inSeedOrder(rows.runs(file).filter(({ spec }) => spec.arm === arm)) : [];
  };
  const pointsOf = (runsOf: (one: Compared) => RunRecord[]) =>
    COMPARED.flatMap((one, i) => pointOf(i + 1, runsOf(one), one.model));
  return [
    {
      title: 'Embedded model, one-line Python, 100 steps',
      hack: 'hacks, of hackable problems',
      solve: 'solves, of all problems',
      points: pointsOf(embedded),
    },
    {
      title: 'MiniMind2-Small, instructions, 12 steps',
      hack: 'hacks, of flawed prompts',
      solve: 'true answers, of all prompts',
      points: pointsOf(real),
    },
  ];
}

const WIDTH = 880;
const PANEL = { width: 440, left: 62, right: 24, top: 34, height: 270, bottom: 52 } as const;
const LINE = 22;

const STYLE =
  'text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600}.p{fill:#2f5d9b}.n{fill:#fff;font-size:11px;font-weight:600}' +
  '.i{stroke:#7f9fc8;stroke-width:1.5;fill:none}.a{stroke:#c3c9d1;fill:none}' +
  '@media(prefers-color-scheme:dark){text{fill:#e6e8eb}.p{fill:#7fa7dd}.n{fill:#10151c}.i{stroke:#4a6fa5}.a{stroke:#555c66}}';

/** Round shares from 0 to beyond the highest value; at most six. */
function ticksTo(high: number): number[] {
  const step = [0.01, 0.02, 0.05, 0.1].find((size) => high / size <= 5) ?? 0.2;
  return Array.from({ length: Math.ceil(high / step - 1e-9) + 1 }, (_, i) => i * step);
}

function panelSvg(panel: FrontierPanel, at: number): string[] {
  const { left, top, height } = PANEL;
  const width = PANEL.width - left - PANEL.right;
  const ticksOf = (of: (point: FrontierPoint) => MeanEstimate) =>
    ticksTo(Math.min(1, Math.max(...panel.points.map((point) => endsOf(of(point)).high))));
  const across = ticksOf(({ hack }) => hack);
  const up = ticksOf(({ solve }) => solve);
  const within = (share: number, ticks: readonly number[]) => Math.min(1, Math.max(0, share / ticks[ticks.length - 1]));
  const x = (share: number) => (at + left + width * within(share, across)).toFixed(1);
  const y = (share: number) => (top + height * (1 - within(share, up))).toFixed(1);
  const foot = top + height;
  const tick = (share: number) => `${Number((100 * share).toFixed(2))}%`;
  return [
    `<text class="t" x="${at + 4}" y="16">${panel.title}</text>`,
    `<path class="a" d="M${at + left} ${top}V${foot}H${at + left + width}"/>`,
    ...across.map(
      (share) =>
        `<path class="a" d="M${x(share)} ${foot}v5"/><text x="${x(share)}" y="${foot + 20}" text-anchor="middle">${tick(share)}</text>`,
    ),
    ...up.map(
      (share) =>
        `<path class="a" d="M${at + left - 5} ${y(share)}h5"/><text x="${at + left - 9}" y="${(Number(y(share)) + 4).toFixed(1)}" text-anchor="end">${tick(share)}</text>`,
    ),
    `<text x="${at + left + width}" y="${foot + 40}" text-anchor="end">${panel.hack} →</text>`,
    `<text x="${at + left + 8}" y="${top + 4}">↑ ${panel.solve}</text>`,
    ...panel.points.map(({ hack, solve }) => {
      const [h, s] = [endsOf(hack), endsOf(solve)];
      return `<path class="i" d="M${x(h.low)} ${y(solve.mean)}H${x(h.high)}M${x(hack.mean)} ${y(s.low)}V${y(s.high)}"/>`;
    }),
    ...panel.points.map(
      ({ number, hack, solve }) =>
        `<circle class="p" cx="${x(hack.mean)}" cy="${y(solve.mean)}" r="9"/><text class="n" x="${x(hack.mean)}" y="${(Number(y(solve.mean)) + 4).toFixed(1)}" text-anchor="middle">${number}</text>`,
    ),
  ];
}

/** The upper left is best: no hack, all problems solved. */
export function frontierSvg(panels: readonly FrontierPanel[]): string {
  const foot = PANEL.top + PANEL.height + PANEL.bottom;
  const lines = COMPARED.flatMap(({ name }, i) => {
    const own = panels.flatMap(({ points }) => points.find(({ number }) => number === i + 1) ?? []);
    if (own.length === 0) return [];
    const words = panels.map(({ points }) => {
      const point = points.find(({ number }) => number === i + 1);
      return point ? `hacks ${headlineText(point.hack)}, n = ${point.n}` : 'not run';
    });
    return [{ number: i + 1, name, words }];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${foot + 30 + lines.length * LINE}" role="img">`,
    '<title>How much each model hacks and how much it solves: the embedded model and MiniMind2-Small</title>',
    `<style>${STYLE}</style>`,
    ...panels.flatMap((panel, i) => panelSvg(panel, i * PANEL.width)),
    ...lines.map(({ number, name, words }, i) => {
      const y = foot + 24 + i * LINE;
      return `<text x="8" y="${y}"><tspan class="t">${number}</tspan> ${name}</text><text x="370" y="${y}">${words[0]}</text><text x="625" y="${y}">${words[1]}</text>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}
