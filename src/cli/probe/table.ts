// The probe's report as text: the verdict table, what each check excludes and does not show, and the trajectory by steps.
import { RATIO_EDGES } from '../../algorithms/grpo-loss.ts';
import { type ProbeReport, STATUS_OF, type StepSummary, type Trajectory } from '../../experiments/kinds/probe/types.ts';
import { decimal, percent } from '../../lib/numbers.ts';
import { renderTable } from '../table.ts';

export function renderProbe(report: ProbeReport): string {
  const { adapter, pool, modulesWithBasis, bound, verdicts } = report;
  const table = renderTable(
    ['', 'check', 'verdict'],
    verdicts.map(({ id, what, outcome }) => [id, what, STATUS_OF[outcome].toUpperCase()]),
    () => false,
  );
  const words = verdicts.flatMap(({ id, value, threshold, excludes, note }) => [
    `${id}  ${value}`,
    `    threshold: ${threshold}`,
    `    excludes:  ${excludes}`,
    ...(note === '' ? [] : [`    ${note}`]),
  ]);
  return [
    `Pool: ${pool.source}, ${pool.samples} samples of ${pool.problems} problems. Adapter: ${adapter}. cos_S_contrib is at most sqrt(${modulesWithBasis} modules) = ${bound.toFixed(3)}.`,
    '',
    table,
    '',
    ...words,
    '',
    trajectory(report),
  ].join('\n');
}

/** Hack rate by step, and, where ratios could leave 1, their histogram over vanilla's scored tokens. */
export function renderTraining({ vanilla, projected, ratios, clipped }: Trajectory): string {
  const share = (x: number | null | undefined) => percent(x, 1, ' %');
  const bins = ratios.length === 0 ? [] : binNames();
  return renderTable(
    ['step', 'hack, vanilla', 'hack, projected', ...(bins.length ? ['at the clip', ...bins] : [])],
    vanilla.map((hack, i) => {
      const counts = ratios[i] ?? null;
      const total = counts?.reduce((a, b) => a + b, 0) ?? 0;
      const shares = bins.map((_, bin) => share(counts && total > 0 ? counts[bin] / total : null));
      return [String(i + 1), share(hack), share(projected[i]), ...(bins.length ? [share(clipped[i]), ...shares] : [])];
    }),
    () => true,
  );
}

const binNames = (): string[] => [
  `ρ < ${RATIO_EDGES[0]}`,
  ...RATIO_EDGES.slice(1).map((edge) => `< ${edge}`),
  `≥ ${RATIO_EDGES[RATIO_EDGES.length - 1]}`,
];

function trajectory({ vanilla, projected }: ProbeReport): string {
  const cell = (step: StepSummary | undefined) => [decimal(step?.cos), decimal(step?.nll)];
  return renderTable(
    [
      ...['step', 'tokens', 'cos vanilla', 'nll', 'cos_in', '‖g‖'],
      ...['cos projected', 'nll', 'cos_in', 'cos_out', 'of the step'],
    ],
    vanilla.map((step, i) => {
      const other = projected[i];
      return [
        String(step.step),
        String(step.tokens),
        ...cell(step),
        decimal(step.cosIn),
        decimal(step.gradNorm),
        ...cell(other),
        decimal(other?.cosIn),
        decimal(other?.cosOut),
        decimal(other?.cosOutUpdate),
      ];
    }),
    () => true,
  );
}
