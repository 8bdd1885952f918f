// Checks that one declaration is enough for a measure: it adds a field in a row, a chart, the words and a column.
import { describe, expect, it } from 'vitest';
import type { Measure } from '../../experiments/records/measure.ts';
import { MEASURES, type MeasureName, OCCASIONAL_MEASURES } from '../../experiments/records/measures.ts';
import { stepRow } from '../../experiments/records/rows-schema.ts';
import { runMade } from '../../experiments/testing/statistics-runs.ts';
import { GLOSSARY } from '../glossary/glossary.ts';
import { stepsCsv } from '../runs/download.ts';
import { metricGroups } from './metrics.ts';

const names = Object.keys(MEASURES) as MeasureName[];
/** An unknown environment is used, since known ones have their own words about the reward. */
const charts = metricGroups('elsewhere').flatMap((group) => group.metrics.map((metric) => ({ group, metric })));

/** A finished run, and the same run with rows that log this measure too. */
function runs(name: MeasureName) {
  const made = runMade({});
  const run = { ...made, rows: made.rows.map((row) => ({ ...row, teacher: row.student })) };
  const logs = { ...run, rows: run.rows.map((row) => ({ ...row, [name]: 0.25 })) };
  return { run, logs };
}
const columns = (csv: string) => csv.split('\r\n')[0].split(',');

describe.each(names)('%s', (name) => {
  const { chart, title, better, unit }: Measure<unknown> = MEASURES[name];
  const isOccasional = name in OCCASIONAL_MEASURES;
  const { run, logs } = runs(name);

  it('is a field of a row, and is checked when it is read', () => {
    const field = stepRow.shape[name];
    expect(field.safeParse(0.25).success).toBe(true);
    expect(field.safeParse('0.25').success).toBe(false);
    expect(field.safeParse(undefined).success).toBe(isOccasional);
  });

  it('has its chart, if one is declared, and its words', () => {
    const drawn = charts.filter(({ metric }) => metric.id === name);
    expect(drawn.map(({ group, metric }) => [group.id, metric.about])).toEqual(
      chart ? [[chart.group, chart.about]] : [],
    );
    for (const { metric } of drawn) {
      expect(metric.value(logs.rows[0])).toBe(0.25);
      if (isOccasional && !chart?.appliesTo)
        expect([run, logs].map((one) => metric.applies!(one))).toEqual([false, true]);
    }
    expect(GLOSSARY[name].title).toBe(title);
    expect(Object.keys(GLOSSARY[name])).toHaveLength(6);
    expect(['lower', 'higher', 'neither']).toContain(better);
    expect(['share', 'number', 'tokens', 'nats']).toContain(unit);
  });

  it('has a column, or an occasional one where it is logged', () => {
    expect(columns(stepsCsv([logs])).filter((column) => column === name)).toHaveLength(1);
    expect(columns(stepsCsv([run])).includes(name)).toBe(!isOccasional);
  });
});
