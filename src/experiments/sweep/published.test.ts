// Tests the published sweeps (docs/sweeps): each report belongs to its sweep, its text agrees with its values, and the page that lists them
// states the outcome by the rule that was registered before.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shortNumber } from '../analysis/words.ts';
import { planSweep } from './plan.ts';
import type { SweepReport } from './report.ts';
import { reportMarkdown } from './report-text.ts';
import { parseSweepSpec } from './spec.ts';

const room = new URL('../../../docs/sweeps/', import.meta.url);
const text = (name: string) => readFileSync(new URL(name, room), 'utf8');
const json = (name: string) => JSON.parse(text(name)) as unknown;
const published = readdirSync(room).flatMap((name) => /^(.+)\.report\.json$/.exec(name)?.[1] ?? []);
const reportOf = (name: string) => json(`${name}.report.json`) as SweepReport & { groups: [] };

it.each(published)('%s: the report belongs to its sweep and has every run', (name) => {
  const spec = parseSweepSpec(json(`${name}.json`));
  const { configurations } = planSweep(spec);
  const { table, done, planned } = reportOf(name);
  expect(table.map(({ label, seeds }) => [label, seeds])).toEqual(
    configurations.map(({ label }) => [label, spec.seeds]),
  );
  expect([done, planned]).toEqual(Array(2).fill(configurations.length * spec.seeds.length));
});

it.each(published)('%s: the text follows from its values', (name) => {
  const { groups, ...report } = reportOf(name);
  const again = `npm run lab -- sweep run docs/sweeps/${name}-again.json --out DIR`;
  expect(text(`${name}.md`)).toBe(reportMarkdown(report, groups, again));
});

it.each(published.filter((name) => published.includes(`${name}-again`)))(
  '%s: its best is what was run again',
  (name) => {
    expect(json(`${name}-again.json`)).toEqual(reportOf(name).best?.again);
  },
);

it('states the outcome by the rule: a rank correlation of the expected sign, of 0.2 or more', () => {
  const expected = { 'lr-k': { lr: 1, k: -1 }, arithmetic: { lr: 1, klBeta: -1 } };
  const page = text('README.md');
  for (const [name, signs] of Object.entries(expected))
    for (const { option, rank } of reportOf(name).effects) {
      const isBorneOut = rank! * signs[option as keyof typeof signs] >= 0.2;
      const line = page.split('\n').find((each) => each.startsWith(`| ${reportOf(name).metric.id} | \`${option}\` |`));
      expect(line, option).toContain(`| ${shortNumber(rank!)} | ${isBorneOut ? 'borne out' : 'wrong'} |`);
    }
});
