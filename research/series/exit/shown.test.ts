// Tests that the example puzzle and its two chains of answers come from the published rows and are picked as shownChainsOf states.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ImproveRow } from '../../../src/experiments/exit/rows.ts';
import {
  keptBy,
  readShownChains,
  SHOWN_CHAINS_PATH,
  SHOWN_CHAINS_SOURCE,
  shownChainsOf,
} from '../../../src/experiments/exit/shown-chains.ts';
import { publishedRows, shownText } from '../../judge/publish.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const rows = publishedRows(ROOT).lines(SHOWN_CHAINS_SOURCE) as ImproveRow[];
const text = readFileSync(`${ROOT}/public/${SHOWN_CHAINS_PATH}`, 'utf8');
const shown = readShownChains(JSON.parse(text))!;

it('the published example is what the rows give', () => {
  expect(text).toBe(shownText(shownChainsOf(rows)));
  expect(text.length).toBeLessThan(2000);
});

it('it has the answers of two rows, with the quality that keptBy counts', () => {
  for (const { arm, seed, answers } of shown.chains) {
    const row = rows.find(
      (one) => one.arm === arm && one.seed === seed && one.id === shown.puzzle && one.way === 'sampled',
    )!;
    expect(answers).toEqual(row.answers);
    expect(answers.map((answer) => keptBy(shown.puzzle, answer) / 6)).toEqual(row.quality);
  }
});

it('the first chain begins unsolved and improves with every revision until it is solved; the other never is', () => {
  const [own, other] = shown.chains.map(({ answers }) => answers.map((answer) => keptBy(shown.puzzle, answer)));
  const end = own.indexOf(6);
  expect(end).toBeGreaterThanOrEqual(2);
  for (let k = 1; k <= end; k++) expect(own[k]).toBeGreaterThan(own[k - 1]);
  expect(own.slice(end).every((kept) => kept === 6)).toBe(true);
  expect(other).not.toContain(6);
});

it('it counts the puzzles that only one arm solves, and is null without the rows of both arms', () => {
  const { puzzles, only } = shown.of;
  const last = (arm: string, id: string) =>
    rows
      .find(
        (one) => one.arm === arm && one.seed === 41 && one.sampling === 1 && one.way === 'sampled' && one.id === id,
      )!
      .quality.at(-1) === 1;
  const ids = [...new Set(rows.map(({ id }) => id))];
  expect(puzzles).toBe(ids.length);
  expect(only.exit).toBe(ids.filter((id) => last('exit', id) && !last('none', id)).length);
  expect(only.none).toBe(ids.filter((id) => last('none', id) && !last('exit', id)).length);
  expect(shownChainsOf(rows.filter(({ id }) => id !== shown.puzzle))!.puzzle).not.toBe(shown.puzzle);
  expect(shownChainsOf(rows.filter(({ arm }) => arm !== 'none'))).toBeNull();
});
