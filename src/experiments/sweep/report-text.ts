// A sweep's report as Markdown.
import { inBrackets } from '../../lib/numbers.ts';
import { pValue, shortNumber } from '../analysis/words.ts';
import type { Group, ReportRow, Summary, SweepReport } from './report.ts';
import { valueText } from './spec.ts';
import type { Stopped } from './stop.ts';

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}

export function summaryCell(summary: Summary | null | undefined): string {
  if (!summary) return '–';
  const { mean, sd, interval } = summary;
  const spread = sd === null ? '' : ` ± ${shortNumber(sd)}`;
  return `${shortNumber(mean)}${spread}${inBrackets(interval, shortNumber)}`;
}

/** `stopped early at step 10: interim 0.12, median 0.3` */
export function stoppedText({ step, interim, median }: Stopped): string {
  const value = interim === null ? 'without a figure' : shortNumber(interim);
  return `stopped early at step ${step}: interim ${value}, median ${median === null ? 'not known yet' : shortNumber(median)}`;
}

/** `again`: the command that trains the best configuration once more. */
export function reportMarkdown(report: SweepReport, groups: readonly Group[], again: string): string {
  const { name, metric, done, planned, table: rows, notes } = report;
  const ids = Object.keys(rows[0].metrics);
  const better = metric.goal === 'higher' ? 'higher is better' : 'lower is better';
  return `${[
    `# ${name || 'Sweep'}`,
    '',
    `${done} of ${planned} runs are done. Ranked by **${metric.id}**${metric.model === 'deployed' ? ' of the deployed model' : ''} in the final evaluation; ${better}. Cells are mean ± sd over seeds, with the 95 % t interval of the mean.`,
    ...notes.map((note) => `\n- ${note}`),
    '',
    ...bestLines(report, again),
    '## Configurations',
    '',
    ...table(
      ['Configuration', 'Steps', 'n', ...ids],
      ranked(report).map((row) => [
        row.label,
        row.stopped ? stoppedText(row.stopped) : String(row.steps),
        String(row.seeds.length),
        ...ids.map((id) => summaryCell(row.metrics[id])),
      ]),
    ),
    '',
    ...effectLines(report),
    ...paretoLines(report),
    ...groupLines(groups, ids),
  ].join('\n')}\n`;
}

/** Rows with the most steps first; equally long ones from best to worst, incomplete ones last. */
export function ranked({ table: rows, metric }: SweepReport): ReportRow[] {
  const sign = metric.goal === 'higher' ? -1 : 1;
  const of = (row: ReportRow) =>
    row.isComplete ? sign * (row.metrics[metric.id]?.mean ?? 0) : Number.POSITIVE_INFINITY;
  return [...rows].sort(
    (a, b) => b.steps - a.steps || (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0) || a.configuration - b.configuration,
  );
}

function bestLines({ best, metric }: SweepReport, again: string): string[] {
  if (!best) return ['## The best', '', 'No configuration has all its runs yet.', ''];
  const { row, of, byChance, second } = best;
  const side = metric.goal === 'higher' ? 'above' : 'below';
  const difference = second?.difference;
  const chosen = () => [
    `It is the best of ${of}, chosen by the same runs that it is judged by: its figure is too good by construction, and the interval does not say so.${byChance === null ? '' : ` If all configurations were alike, the best would still lie about ${shortNumber(byChance)} ${side} their mean.`} What it is worth, fresh seeds say:`,
    '',
    '```sh',
    again,
    '```',
    '',
  ];
  return [
    '## The best',
    '',
    `**${row.label}**: ${metric.id} ${summaryCell(row.metrics[metric.id])}, n = ${row.seeds.length}.`,
    '',
    ...(second
      ? [
          `Against the second (${second.label}), seed by seed: ${difference ? `${shortNumber(difference.mean)}${inBrackets(difference.interval, shortNumber)}, sign-flip ${pValue(second.p)}` : 'one seed has no spread'}.`,
          '',
        ]
      : []),
    ...(of === 1 ? ['Nothing was chosen here: there is one configuration.', ''] : chosen()),
  ];
}

function effectLines({ effects, metric }: SweepReport): string[] {
  const lines = effects.flatMap(({ option, levels, rank }) => {
    const correlation =
      rank === null ? [] : [`Rank correlation of ${option} with ${metric.id}: ${shortNumber(rank)}.`, ''];
    if (levels.length === 0) return correlation.length ? [`### ${option}`, '', ...correlation] : [];
    const rows = levels.map(({ value, summary }) => [
      valueText(value),
      String(summary.n),
      summaryCell({ ...summary, interval: null }),
    ]);
    return [`### ${option}`, '', ...table([option, 'Configurations', metric.id], rows), '', ...correlation];
  });
  return lines.length ? ['## Main effects', '', 'Mean ± sd of the configurations’ means, by value.', '', ...lines] : [];
}

function paretoLines({ pareto, table: rows }: SweepReport): string[] {
  if (!pareto) return [];
  const ids = pareto.metrics.map(({ id }) => id);
  return [
    '## Pareto front',
    '',
    `No other configuration is at least as good in ${pareto.metrics.map(({ id, goal }) => `${id} (${goal})`).join(' and ')} and better in one.`,
    '',
    ...table(
      ['Configuration', ...ids],
      pareto.configurations.map((i) => [rows[i].label, ...ids.map((id) => summaryCell(rows[i].metrics[id]))]),
    ),
    '',
  ];
}

function groupLines(groups: readonly Group[], ids: readonly string[]): string[] {
  if (groups.length === 0) return [];
  const by = Object.keys(groups[0].values);
  return [
    `## By ${by.join(', ')}`,
    '',
    'Over runs, whatever configuration they are of.',
    '',
    ...table(
      [...by, 'n', ...ids],
      groups.map(({ values, metrics }) => [
        ...by.map((name) => valueText(values[name])),
        String(Math.max(0, ...ids.map((id) => metrics[id]?.n ?? 0))),
        ...ids.map((id) => summaryCell(metrics[id])),
      ]),
    ),
    '',
  ];
}
