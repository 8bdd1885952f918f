// Which charts a published demo is shown in: profiles of the final evaluation first, where its environment has any; then over steps what it
// asks without sampling, or else its headlines.

import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { environmentOf } from '../../experiments/config/spec.ts';
import { askedOf, headlinesOf, profilesOf } from '../../experiments/environments/registry.ts';
import { type DemoLine, demoLines, demoProfile, demoSteps } from './demo-lines.ts';

export interface DemoChart {
  id: string;
  title: string;
  about: string;
  lines: DemoLine[];
  /** Right end of the axis. */
  end: number;
  /** Of an axis that is not steps. */
  ends?: readonly [string, string];
}

/** Without those that have no line to draw. */
export function demoCharts(demo: PublishedDemo): DemoChart[] {
  const environment = environmentOf(demo.spec);
  const steps = demoSteps(demo);
  const profiles = profilesOf(environment).map((profile): DemoChart => {
    const { id, title, about, along, points } = profile;
    const end = points[points.length - 1].x;
    return { id, title, about, lines: demoProfile(demo, profile), end, ends: ['0', `${end} ${along.split(',')[0]}`] };
  });
  const asked = askedOf(environment);
  const infos = asked.length > 0 ? asked : headlinesOf(environment).filter(({ undrawn }) => !undrawn);
  const overSteps = infos.map(
    ({ id, label, about }): DemoChart => ({ id, title: label, about, lines: demoLines(demo, id), end: steps }),
  );
  return [...profiles, ...overSteps].filter(({ lines }) => lines.some(({ points }) => points.length > 1));
}
