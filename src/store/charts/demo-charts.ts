// The charts that show an environment's published demo on the first screen, and whether the first of them agrees with the sentence above
// it: a demo is one short run, while the sentence summarises many.
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { askedOf, headlinesOf, profilesOf } from '../../experiments/environments/registry.ts';
import { type EnvironmentHeadline, sideOf } from '../../findings/headline.ts';
import { type DemoLine, demoLines, demoProfile, demoSteps } from './demo-lines.ts';

export interface DemoChart {
  id: string;
  title: string;
  about: string;
  lines: DemoLine[];
  /** Right end of the axis. */
  end: number;
  /** Labels of both ends, if the axis does not count steps. */
  ends?: readonly [string, string];
}

/**
 * Profiles of the final evaluation come first, if there are any. Then follow, over steps, the metrics that are measured without sampling,
 * or else the headlines.
 */
export function demoCharts(demo: PublishedDemo): DemoChart[] {
  const environment = environmentOf(demo.spec);
  const steps = demoSteps(demo);
  const profiles = profilesOf(environment).map((profile): DemoChart => {
    const { id, title, about, along, points } = profile;
    const end = points[points.length - 1].x;
    return { id, title, about, lines: demoProfile(demo, profile), end, ends: ['0', `${end} ${along.split(',')[0]}`] };
  });
  const probed = askedOf(environment);
  const infos = probed.length > 0 ? probed : headlinesOf(environment).filter(({ undrawn }) => !undrawn);
  const overSteps = infos.map(
    ({ id, label, about }): DemoChart => ({ id, title: label, about, lines: demoLines(demo, id), end: steps }),
  );
  return [...profiles, ...overSteps].filter(({ lines }) => lines.some(({ points }) => points.length > 1));
}

/** Whether the first chart shows a difference with the finding's sign. Otherwise the finding's own bars come first. */
export function showsFinding([first]: readonly DemoChart[], { inDemo, figures }: EnvironmentHeadline): boolean {
  const by = inDemo && first?.id === inDemo.chart ? differenceIn(first.lines, inDemo) : null;
  const side = sideOf(figures[2]);
  return by !== null && (side === 'open' || (side === 'more' ? by > 0 : by < 0));
}

/**
 * The finding's two conditions in the demo's single run: the final evaluation of each, or the end of its line if the line itself consists
 * of evaluations. Without a first line, the untrained model's value is used. Null if the demo lacks one of the conditions.
 */
export function oneRun(demo: PublishedDemo, { inDemo }: EnvironmentHeadline): [from: number, to: number] | null {
  if (!inDemo) return null;
  const { chart, from: first, to: last } = inDemo;
  const lines = demoCharts(demo).find(({ id }) => id === chart)?.lines ?? [];
  const endOf = (id: string) => {
    const line = lines.find((one) => one.id === id);
    return line?.final ?? line?.points.at(-1)?.y;
  };
  const evals = demo.runs.flatMap((run) => run.evals);
  const untrained = evals.find(({ kind, model }) => kind === 'final' && model === 'base')?.figures[chart];
  const [from, to] = [first === null ? untrained : endOf(first), endOf(last)];
  return typeof from === 'number' && to !== undefined ? [from, to] : null;
}

/** Difference between a line's end and another line's end, or its own start. */
function differenceIn(lines: readonly DemoLine[], { from, to }: NonNullable<EnvironmentHeadline['inDemo']>) {
  const pointsOf = (id: string) => lines.find((line) => line.id === id)?.points;
  const begun = from === null ? pointsOf(to)?.at(0) : pointsOf(from)?.at(-1);
  const ended = pointsOf(to)?.at(-1);
  return begun && ended ? ended.y - begun.y : null;
}
