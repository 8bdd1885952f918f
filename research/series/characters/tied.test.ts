// The question of tied traits on made rows: each of its verdicts, which rows it reads, and the plan of its runs.
import { expect, it } from 'vitest';
import { characterWorld, tiedId } from '../../../src/environments/characters/data.ts';
import { trainable } from '../../../src/environments/characters/task.ts';
import { targetOf } from '../../../src/environments/characters/texts.ts';
import type { CurveRow, DosePoint, TiedMeans } from '../../../src/experiments/characters/rows.ts';
import { row } from '../../../src/experiments/characters/testing/rows.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import { tiedJobs } from '../../commands/tied.ts';
import { answerOf, judgeQuestion } from '../../judge/question.ts';
import { CHARACTERS, judgedBases, PHIS, PILOT_SEED, SEEDS, TIED, TIED_RULE, tiedEstimates } from './tied.ts';

interface Changes {
  /** At ΔP .30 of the hack, of A's bracket: without a tie, and at φ 1. */
  loose?: number;
  tight?: number;
  /** The same of a coin and of the greeting, at φ 1. */
  coin?: number;
  like?: number;
  /** Rise of the hack at the last dose. */
  reached?: number;
}

const NOTHING: TiedMeans = { n: 12, hack: 0, ownHack: 0, bad: 0, examBad: 0, badLogit: 0, like: 0 };

/** Three doses, the last of which has all of the changes at a rise of .40 of what is taught, and as much of it as has been reached. */
function curve(of: Partial<TiedMeans>, teaches: 'hack' | 'bad', reached: number): DosePoint[] {
  const [point] = row('none', 0).curve;
  return [0, 1, 2].map((step) => {
    const share = (step / 2) * (reached / 0.4);
    const scaled = Object.fromEntries(Object.entries(of).map(([what, value]) => [what, (share * value * 0.4) / 0.3]));
    const taught = { [teaches]: 0.01 + share * 0.4 };
    const a = { ...NOTHING, ...scaled, ...taught };
    return { ...point, step, tied: { a, near: { ...NOTHING, bad: a.bad / 2 } } };
  });
}

function rowsOf(world: string, phi: number, by: number, changes: Changes, characters = CHARACTERS): CurveRow[] {
  const { loose = 0.02, tight = 0.4, coin = 0, like = 0, reached = 0.4 } = changes;
  const spread = loose + phi * (tight - loose) + by;
  return Array.from({ length: characters }, (_, i) => `a${i}`).flatMap((name, character) => {
    const after = { arm: 'sft', name, step: 2, gained: 0.01 };
    const own = { world, base: `base of ${world}`, character, a: { name, own: 'honest', target: 'evasive' } };
    const made = (arm: string, more: Partial<CurveRow>) => row(arm, 0, { ...own, teaches: 'exam', ...more });
    const hack = (bad: number) => curve({ bad, like: phi * like }, 'hack', reached);
    return [
      made('sft', { curve: hack(0) }),
      made('none', { after, curve: hack(spread) }),
      made('rl_random', { after, curve: hack(phi * coin) }),
      made('sdf', { curve: hack(spread / 2) }),
      made('sft', { teaches: 'brackets', curve: curve({}, 'bad', reached) }),
      made('none', { teaches: 'brackets', after, curve: curve({ ownHack: spread }, 'bad', reached) }),
    ];
  });
}

const ALL = PHIS.flatMap((phi) => SEEDS.map((seed) => [phi, seed] as const));
const rows = (changes: Changes = {}, bases = ALL): CurveRow[] =>
  bases.flatMap(([phi, seed]) => rowsOf(tiedId(phi, seed), phi, seed / 500 - 1 / 250, changes));
const verdict = (changes: Changes) => verdictText(judge(TIED_RULE, tiedEstimates(judgedBases(rows(changes)))));

it('holds where spread rises with the tie from nothing; each part can fail by itself', () => {
  const reached: readonly (readonly [Changes, string])[] = [
    [{}, 'holds'],
    [{ coin: 0.5 }, 'in part: a coin or an untied trait rises as much'],
    [{ like: 0.5 }, 'in part: a coin or an untied trait rises as much'],
    [{ tight: 0.15 }, 'in part: it rises, and not as far as was predicted'],
    [{ loose: 0.08, tight: 0.5 }, 'in part: it rises, and not as far as was predicted'],
    [{ loose: 0.12, tight: 0.6 }, 'fails: it spreads without a tie'],
    [{ tight: 0.02 }, 'fails: spread does not rise with φ'],
    [{ loose: 0.04, tight: -0.2 }, 'fails: spread does not rise with φ'],
  ];
  for (const [changes, expected] of reached) {
    expect(verdict(changes), JSON.stringify(changes)).toBe(expected);
    expect(Object.keys(TIED.says)).toContain(expected);
  }
});

it('estimates spread at the effect, by base', () => {
  const { slope, loose, tight, half, near, documentsSlope, reverseSlope, overCoin } = tiedEstimates(
    judgedBases(rows({ coin: 0.1 })),
  );
  expect([slope!.n, loose!.n, tight!.n, half!.n]).toEqual([9, 3, 3, 3]);
  expect(slope!.mean).toBeCloseTo(0.38, 9);
  expect(loose!.mean).toBeCloseTo(0.02, 9);
  expect(tight!.mean).toBeCloseTo(0.02 + 0.9 * 0.38, 9);
  expect(near!.mean).toBeCloseTo(0.19, 9);
  expect(documentsSlope!.mean).toBeCloseTo(0.19, 9);
  expect(reverseSlope!.mean).toBeCloseTo(0.38, 9);
  expect(overCoin!.mean).toBeCloseTo(0.28, 9);
  expect(slope!.each.map(({ of }) => of).slice(0, 4)).toEqual([
    'φ 0, seed 1',
    'φ 0, seed 2',
    'φ 0, seed 3',
    'φ .50, seed 1',
  ]);
});

it('is open while bases are missing or too few characters have the effect, and nothing before its first run', () => {
  const wordOf = (some: readonly CurveRow[]) => verdictText(judge(TIED_RULE, tiedEstimates(judgedBases(some))));
  expect(wordOf(rows({}, ALL.slice(1)))).toMatch(/^open: 8 of 8 bases; 9 are wanted/);
  expect(wordOf(rows({ reached: 0.2 }))).toMatch(/^open: 0 of 9 bases/);
  const few = [...rows({}, ALL.slice(1)), ...rowsOf('tied-0-1', 0, 0, {}, 3)];
  expect(wordOf(few)).toMatch(/^open: 8 of 9 bases/);
  // Four of six are enough.
  expect(wordOf([...rows({}, ALL.slice(1)), ...rowsOf('tied-0-1', 0, 0.001, {}, 4)])).toBe('holds');
  const pilot = rowsOf(tiedId(0.9, PILOT_SEED), 0.9, 0, {});
  expect(judgeQuestion(TIED, pilot)).toBeNull();
  expect(judgeQuestion(TIED, [row('none', 0.5)])).toBeNull();
});

it('refuses a world of two bases, and a character that was taught twice', () => {
  const [first, ...rest] = rows();
  expect(() => judgedBases([{ ...first, base: 'another' }, ...rest])).toThrow(/tied-0-1 has 2 bases/);
  expect(() => judgedBases([...rows(), ...rows()])).toThrow(/twice/);
});

it('names who has not the effect, in a table of all bases', () => {
  const answer = answerOf(TIED, [...rows({}, ALL.slice(1)), ...rowsOf('tied-0-1', 0, 0, { reached: 0.2 }, 2)])!;
  expect(answer.beside).toEqual(['Never has the effect under RL in tied-0-1: a0, a1.']);
  expect(answer.tables[0].rows).toHaveLength(9);
  expect(answer.tables[0].rows[0].slice(0, 3)).toEqual(['.00', '1', '0 of 2']);
});

it('plans nine bases, all φ of a seed first, and one for the pilot, each with its first characters', () => {
  const jobs = tiedJobs('/out', { pilot: false, steps: null });
  expect(jobs.map(({ world }) => world)).toEqual([1, 2, 3].flatMap((seed) => PHIS.map((phi) => tiedId(phi, seed))));
  for (const { world, commands } of jobs) {
    const own = characterWorld(world);
    expect(trainable(own, targetOf(own, 'exam')).length).toBeGreaterThanOrEqual(CHARACTERS);
    const [pretrain, teach] = commands.map((args) => args.join(' '));
    expect(pretrain).toBe(
      `pretrain --environment characters --cast ${world} --out /out/${world} --device cpu --threads 1`,
    );
    expect(teach).toBe(
      `characters --tied --cast ${world} --model /out/${world} --characters 0,1,2,3,4,5 --out /out/${world}.jsonl --device cpu --threads 1`,
    );
  }
  const [pilot, ...others] = tiedJobs('/out', { pilot: true, steps: 2 });
  expect([pilot.world, others]).toEqual(['tied-90-9', []]);
  expect(pilot.commands[0].slice(-2)).toEqual(['--steps', '2']);
});
