// Compares docs/lab-book/agents.md with its records: the verdicts and numbers of G1 and A1, and the table of the bench.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { eachLine } from '../../../src/experiments/judge/estimate.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { answerOf } from '../../judge/question.ts';
import { AGENT_RUN_QUESTIONS } from './index.ts';

const page = readFileSync('docs/lab-book/agents.md', 'utf8');
const textOf = (name: string) => gunzipSync(readFileSync(`public/results/agents/${name}`)).toString('utf8');
const runsOf = (name: string) => (JSON.parse(textOf(name)) as { runs: RunRecord[] }).runs;

it.each([
  ['G1', ['g1.json.gz']],
  ['A1', ['a1.json.gz']],
  ['A1-erase', ['a1.json.gz', 'erase.json.gz']],
])('says what the rows of %s say', (question, names) => {
  const asked = AGENT_RUN_QUESTIONS.find(({ id }) => id === question)!;
  const { standing, figures } = answerOf(asked, names.flatMap(runsOf))!;
  expect(page).toContain(`**${question}: ${standing}**, seeds 51, 52, 53, 54, 55`);
  // The rise, and the excess over half of it, are in the text and in the table above it.
  for (const figure of figures.filter(({ name }) => !/^hack, whole|beyond/.test(name)))
    expect(page).toContain(eachLine(figure));
});

it('has the success rates of the bench', () => {
  const rows = textOf('bench.jsonl.gz')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(2940);
  const of = (label: string, noise: string | undefined) => {
    const own = rows.filter(
      (row) => row.split === 'execution' && row.noise === noise && !row.scenario.includes('held'),
    );
    const share = own.filter(({ success }) => success).length / own.length;
    expect(own).toHaveLength(84);
    expect(page).toContain(`| ${label} | ${share === 0 ? '0' : `${(100 * share).toFixed(1)} ±`}`);
  };
  of('no noise', undefined);
  for (const level of ['low', 'medium', 'high']) of(`noise ${level}`, `noise ${level}`);
  of('agent-to-agent, half of the apps', 'agent-to-agent 0.5');
  of('agent-to-agent, all apps', 'agent-to-agent 1');
  expect(rows.some(({ split, success }) => split !== 'execution' && success)).toBe(false);
});

it('has the success rates of the trained agent beside the untrained one’s, in the same scenarios', () => {
  const rowsOf = (name: string) =>
    textOf(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const [base, trained] = [rowsOf('bench.jsonl.gz'), rowsOf('bench-g1.jsonl.gz')];
  expect(trained).toHaveLength(924);
  const own = (rows: typeof base, noise: string | undefined) =>
    rows.filter((row) => row.split === 'execution' && row.noise === noise && !row.scenario.includes('held'));
  const share = (rows: typeof base) => (100 * rows.filter(({ success }) => success).length) / rows.length;
  for (const [label, noise] of [
    ['no noise', undefined],
    ['noise low', 'noise low'],
    ['noise medium', 'noise medium'],
    ['noise high', 'noise high'],
    ['agent-to-agent, half of the apps', 'agent-to-agent 0.5'],
  ] as const) {
    const [before, after] = [own(base, noise), own(trained, noise)];
    expect(after.map(({ scenario, run }) => `${scenario} ${run}`)).toEqual(
      before.map(({ scenario, run }) => `${scenario} ${run}`),
    );
    const cells = [before, after].map((rows) => `${share(rows).toFixed(1)} ± \\d\\.\\d`).join(' \\| ');
    expect(page).toMatch(new RegExp(`\\| ${label} \\| ${cells} \\|`));
  }
  const others = trained.filter(
    ({ split, scenario, noise }) => split !== 'execution' || scenario.includes('held') || noise === 'agent-to-agent 1',
  );
  expect(others.some(({ success }) => success)).toBe(false);
});
