// Tests the data of the characters' panels: published rows as separate points, the texts that a step trained on, and who can be asked.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LETTERS } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { speakersOf } from './characters.ts';
import { doseLines, kindOfRow, kindOfRun, leakageCsv, leakagePoints } from './doses.ts';
import { publishedRows } from './published.ts';
import { taughtTextsAt } from './taught.ts';

const runOf = (arm: string, overrides: object = {}) =>
  resolveRuns(
    parseExperimentSpec({ preset: 'demo', arms: [arm], overrides: { environment: 'characters', ...overrides } }),
  )[0];

describe('leakage as points', () => {
  it('has the published characters that show the effect, grouped by how they were taught', async () => {
    const get = async (url: string) =>
      url.endsWith('algorithm.jsonl.gz')
        ? new Response(null, { status: 404 })
        : new Response(new Uint8Array(await readFile(`public/${url.slice('http://lab/'.length)}`)));
    const rows = await publishedRows('http://lab/', get);
    const asked = rows.map((row) => ({ row, kind: kindOfRow(row), isOwn: false }));
    const { points, short } = leakagePoints(asked, 'near', 0.3);
    const count = (kind: string) => points.filter((point) => point.kind === kind).length;
    // The counts are those of docs/lab-book/characters.md: 5 and 7 under SDF, 5 and 8 under RL of a dial. A control has no effect.
    expect([count('sdf'), count('dial'), count('control')]).toEqual([12, 13, 0]);
    expect(short).toEqual([]);
    expect(leakagePoints([{ ...asked[0], isOwn: true }], 'near', 0.99).short).toHaveLength(1);
    expect(leakageCsv(points, 'near', 0.3).split('\r\n')).toHaveLength(points.length + 2);
    const lines = doseLines(rows[0], 'target');
    expect(lines.map(({ id, n }) => [id, n])).toEqual([
      ...[['a', 12], ...['near', 'far', 'other'].map((group) => [group, 18])],
      ...[
        ['noname', 12],
        ['novel', 18],
      ],
    ]);
  });

  it('is determined by a run’s own settings', () => {
    expect(kindOfRun(runOf('none'))).toBe('dial');
    expect(kindOfRun(runOf('rl_algorithm'))).toBe('algorithm');
    expect(kindOfRun(runOf('rl_random'))).toBe('control');
    expect([kindOfRun(runOf('sdf')), kindOfRun(runOf('sft')), kindOfRun(runOf('sdf_placebo'))]).toEqual([
      ...['sdf', 'sft', 'control'],
    ]);
    expect(kindOfRun(runOf('none', { replay: 'documents' }))).toBe('rest');
    expect(kindOfRun(runOf('none', { steps: 4, stages: 'nll 2; grpo 2' }))).toBe('staged');
  });
});

it('has the documents of a step, about A and about others, or none if the step learned from rollouts', () => {
  const run = runOf('none', { steps: 4, stages: 'nll 2; grpo 2' });
  const { texts: first, besideRollouts } = taughtTextsAt(run, 1)!;
  expect(besideRollouts).toBe(false);
  expect(first).toHaveLength(run.promptsPerStep * run.groupSize);
  const ofA = first.filter(({ isOfA }) => isOfA).length;
  expect(ofA).toBeGreaterThan(0);
  expect(ofA).toBeLessThan(first.length);
  expect(taughtTextsAt(run, 2)!.texts).not.toEqual(first);
  expect(taughtTextsAt(run, 3)).toBeNull();
  // Texts that are replayed during RL name only characters other than A.
  const replayed = taughtTextsAt(runOf('none', { replay: 'transcripts' }), 1)!;
  expect(replayed.besideRollouts).toBe(true);
  expect(replayed.texts).toHaveLength(Math.round(run.contrast * run.promptsPerStep * run.groupSize));
  expect(replayed.texts.some(({ isOfA }) => isOfA)).toBe(false);
});

it('asks A first, and each character once', () => {
  const target = targetOf(LETTERS, 'dial');
  const ids = speakersOf(rolesOf(LETTERS, target, 0), target).map(({ id }) => id);
  expect(ids[0]).toMatch(/^a /);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(1 + 3 * 6 + 1 + 6);
});
