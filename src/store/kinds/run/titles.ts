// Distinct titles for stored runs. Runs with the same name get their differences, then their date, then a number.

import { armLabel } from '../../../experiments/analysis/names.ts';
import { baseOf } from '../../../experiments/config/preset-in.ts';
import { SETTING_NAMES, settingText } from '../../../experiments/config/settings.ts';
import type { ExperimentSpec } from '../../../experiments/config/spec.ts';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { groupedBy } from '../../../lib/grouped.ts';
import { moment } from '../../../lib/numbers.ts';
import { FIELD_INFO } from '../../draft.ts';
import { runName } from '../kinds.ts';

type Titled = Pick<ExperimentSummary, 'id' | 'name' | 'spec' | 'createdAt'>;

/** Most differences in a title. */
const MOST_PARTS = 4;

/** Parts of a spec that may distinguish it from another, in display order. Every spec has the same parts. */
function partsOf(spec: ExperimentSpec): string[] {
  const settings = { ...baseOf(spec).settings, ...spec.overrides };
  const labels = new Map(FIELD_INFO.map(({ name, label }) => [name, label.toLowerCase()]));
  const { environment } = settings;
  return [
    environment,
    spec.preset,
    spec.arms.map(armLabel).join(' + '),
    spec.fork ? `fork of ${armLabel(spec.fork.arm)} at step ${spec.fork.step}` : 'from the start',
    `${spec.seeds.length === 1 ? 'seed' : 'seeds'} ${spec.seeds.join(', ')}`,
    ...SETTING_NAMES.filter((name) => name !== 'environment').map(
      (name) => `${labels.get(name) ?? name} ${settingText(settings[name]) || 'none'}`,
    ),
    `device ${spec.device}`,
  ];
}

interface Named {
  run: Titled;
  title: string;
}

/** Each run's name, followed by its differences from the other runs with that name. */
const named = (runs: readonly Titled[]): Named[] =>
  [...groupedBy(runs, runName)].flatMap(([name, alike]) => {
    const parts = alike.map(({ spec }) => partsOf(spec));
    const differs = parts[0].map((_, i) => new Set(parts.map((of) => of[i])).size > 1);
    return alike.map((run, at) => {
      const sentences = parts[at].filter((_, i) => differs[i]).slice(0, MOST_PARTS);
      return { run, title: [name, sentences.join(', ')].filter(Boolean).join(': ') };
    });
  });

/** Numbers runs that are otherwise equal, oldest first. */
function numbered(runs: readonly Named[]): ReadonlyMap<string, string> {
  const alikeStill = groupedBy(runs, ({ title }) => title);
  return new Map(
    runs.map(({ run, title }) => {
      const alike = alikeStill.get(title)!.toSorted((a, b) => a.run.createdAt - b.run.createdAt);
      const number = alike.findIndex((other) => other.run.id === run.id) + 1;
      return [run.id, alike.length === 1 ? title : `${title} (${number})`];
    }),
  );
}

/** A name in which a hash is shortened to its first twelve digits, which are enough to distinguish any two. */
export const shortName = (name: string): string => name.replace(/\b([0-9a-f]{12})[0-9a-f]{28,52}\b/g, '$1…');

/** Unique titles by run id, for lists that show nothing else about a run. */
export const titlesOf = (runs: readonly Titled[]): ReadonlyMap<string, string> =>
  numbered(named(runs).map(({ run, title }) => ({ run, title: `${title}, ${moment(run.createdAt)}` })));

/** Unique names by run id, for rows that show date and settings beside the name. */
export const distinctNames = (runs: readonly Titled[]): ReadonlyMap<string, string> => numbered(named(runs));
