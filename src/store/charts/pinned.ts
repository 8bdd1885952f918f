// Lines of pinned runs behind an experiment's own lines. As in Compare, each is the mean over its seeds, and they are drawn only on the
// axis of steps. Pinning does not change the looks of the experiment's lines.
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import { type ArmStyle, distinctLooks } from '../runs/arm-style.ts';
import { type ChartData, type ChartLine, type ChartPoint, finalOf, type LegendEntry } from './data.ts';
import type { Metric } from './metrics.ts';
import { lookOfGroup, overlayOfGroups } from './overlay.ts';

/** Prefix of pinned lines' keys and legend entries. No arm's name starts with it. */
const PREFIX = 'pinned:';

export interface PinnedLine {
  group: ComparedGroup;
  entry: LegendEntry;
}

/**
 * @param own legend of the experiment with which they are drawn
 * @param looks looks by group that replace the arms' own
 */
export function pinnedLines(
  groups: readonly ComparedGroup[],
  own: readonly LegendEntry[],
  looks?: ReadonlyMap<string, ArmStyle>,
): PinnedLine[] {
  const look = distinctLooks();
  for (const { style } of own) look(style);
  return groups
    .filter(({ runs }) => runs.length > 0)
    .map((group) => ({
      group,
      entry: {
        id: `${PREFIX}${group.id}`,
        label: group.label,
        style: looks?.get(group.id) ?? look(lookOfGroup(group)),
        deployed: group.model === 'deployed',
        n: group.runs.length,
      },
    }));
}

/**
 * Pinned runs are drawn only for metrics that evaluations of every run of an environment include too, since runs are compared by these
 * metrics.
 */
export function withPinned(
  data: ChartData,
  metric: Metric,
  pinned: readonly PinnedLine[],
  { beta, log, isTracked = false }: { beta: number; log: boolean; isTracked?: boolean },
): ChartData {
  if (pinned.length === 0 || !metric.evaluated) return data;
  const looks = new Map<string, ArmStyle>(pinned.map(({ group, entry }) => [group.id, entry.style]));
  const overlay = overlayOfGroups(
    pinned.map(({ group }) => group),
    metric.id,
    { beta, looks },
  );
  const points = new Map<number, ChartPoint>(data.points.map((point) => [point.x, { ...point }]));
  for (const { x, ...values } of overlay.points) {
    const point = points.get(x) ?? ({ x } as ChartPoint);
    for (const [id, y] of Object.entries(values)) point[PREFIX + id] = log && y !== null && y <= 0 ? null : y;
    points.set(x, point);
  }
  const lines = pinned.map(
    ({ group, entry }): ChartLine => ({
      key: entry.id,
      kind: entry.deployed ? 'evaluated' : 'main',
      legend: entry.id,
      style: entry.style,
      seeds: group.runs.map(({ spec }) => spec.seed),
      band: null,
    }),
  );
  const latest = Object.fromEntries(pinned.map(({ group, entry }) => [entry.id, overlay.latest[group.id] ?? null]));
  const finals = Object.fromEntries(
    pinned.flatMap(({ group, entry }) => {
      const final = finalOf(group.runs, metric, group.model);
      return final ? [[entry.id, final]] : [];
    }),
  );
  return {
    ...data,
    points: [...points.values()].sort((a, b) => a.x - b.x),
    // The experiment's own lines are drawn in front of them.
    lines: [...lines, ...data.lines],
    latest: { ...data.latest, ...latest },
    finals: { ...data.finals, ...finals },
    tracks: isTracked ? tracksOf(pinned, overlay.points) : data.tracks,
  };
}

/** One track for each run of each line. All runs of a line have the line's points. */
const tracksOf = (pinned: readonly PinnedLine[], points: readonly ChartPoint[]): ChartData['tracks'] =>
  pinned.flatMap(({ group, entry }) =>
    group.runs.map(({ id, spec }) => ({
      runId: id,
      label: `${entry.label}, seed ${spec.seed}`,
      deployedKey: null,
      points: points.flatMap((point) => {
        const y = point[group.id] ?? null;
        return y === null || point.x < 1 ? [] : [{ x: point.x, step: point.x, y }];
      }),
    })),
  );
