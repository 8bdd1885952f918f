// Compares the pages' statements on the verifier with the published runs: P6, P8, P11.
import { expect, it } from 'vitest';
import type { Estimate } from '../../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../../src/experiments/judge/estimate.ts';
import { type Judgeable, judge, verdictText } from '../../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { finalRow, metricValue } from '../../../../src/experiments/records/metrics.ts';
import { ARENA_MODES } from '../../../../src/findings/arena/bar.ts';
import { SINCE } from '../../../../src/findings/arena/frontier.ts';
import { three, two } from '../../../../src/lib/numbers.ts';
import { fieller, mean, pairedT } from '../../../../src/stats/index.ts';
import { ARENA_SOURCE, publishedDraws } from '../../../draws/published.ts';
import { meanAndInterval } from '../../../judge/estimates.ts';
import { publishedArena } from '../../../judge/publish.ts';
import { arenaRuns, PROJECT, pageOf, points, whole } from '../../../judge/testing/pages.ts';
import { APART, APART_RULE, apartCells, apartEstimates } from '../apart.ts';
import { COMPOSED_DRAWS } from '../composed.ts';
import { DRAWS_RULE, drawsEstimates, newDraws } from '../draws.ts';
import { anyTrusted, narrowCells } from '../narrow.ts';
import { TRUSTED_SHARES_RULE, trustedSharesEstimates } from '../trusted-shares.ts';
import { UNLABELLED_RULE, unlabelledDraws, unlabelledEstimates } from '../unlabelled.ts';
import { drawsOf, verifiedAgainst, verifiedEstimates, verifiedOver } from '../verified.ts';
import { honestOf, ratesOf } from './estimates.ts';
import { ARENA_PAGE } from './text.ts';

const evaluatedByEight = (): RunRecord[] => [...publishedDraws(PROJECT, ARENA_SOURCE).values()];

it('the pages agree with P6’s runs on the verifier', () => {
  const page = pageOf(ARENA_PAGE);
  const judged = evaluatedByEight();
  const said = ({ mean, interval }: ReturnType<typeof verifiedAgainst>, unit = '', sign: 1 | -1 = 1) => {
    const [low, high] = [sign * interval!.low, sign * interval!.high].sort((x, y) => x - y);
    return `${points(sign * mean!)}${unit} [${points(low)}, ${points(high)}]`;
  };
  const [first, ...others] = drawsOf(judged).map((draw) => verifiedAgainst(judged, 'trusted-only', 'honest', draw));
  expect(page).toContain(`gains ${said(first, ' points')} in draw 7`);
  expect(page).toContain(`${said(others[0])} in draw 17 and ${said(others[1])} in draw 27`);
  const { overPlacebo, placeboHack } = verifiedEstimates(judged);
  expect(page).toContain(`the verifier is ${said(overPlacebo!, ' points')} above it`);
  expect(page).toContain(`with the placebo ${said(placeboHack!, ' points')} more of the hackable prompts`);
  const [honest, hack] = (['honest', 'hack'] as const).map((of) => verifiedAgainst(judged, 'added', of));
  expect(page).toContain(`${said(hack, ' points', -1)} above the verifier's`);
  expect(page).toContain(`honest solve is ${said(honest, ' points', -1)} above`);
  const hacks = judged
    .flatMap((run) => (run.spec.arm === 'verifier' ? (finalRow(run, 'total')?.all.figures.hack ?? []) : []))
    .toSorted((a, b) => b - a)
    .map((share) => (100 * share).toFixed(0));
  expect(page).toContain(
    `In three cells of 30 it hacks more than 5% of the hackable prompts (${hacks[0]}%, ${hacks[1]}% and ${hacks[2]}%), in the others at most ${hacks[3]}%.`,
  );
});

it('against trusted problems alone, two modes of a seed and a draw share one run, which the pages count once', () => {
  const [judged, narrow] = [evaluatedByEight(), arenaRuns('narrow')];
  const bySeed = new Map<string, Set<string>>();
  for (const { spec, rows } of judged.filter(({ spec }) => spec.arm === 'trusted-only')) {
    const key = `${spec.seed} ${spec.dataSeed}`;
    const trained = JSON.stringify(rows.map(({ normDeltaS, gradNorm }) => [normDeltaS, gradNorm]));
    bySeed.set(key, (bySeed.get(key) ?? new Set()).add(trained));
  }
  expect([...bySeed.values()].map(({ size }) => size)).toEqual(Array(15).fill(1));

  const bounds = ({ interval }: Judgeable) => `[${points(interval!.low)}, ${points(interval!.high)}]`;
  const said = (of: Judgeable, unit = '') => `${points(of.mean!)}${unit} ${bounds(of)}`;
  const over = (unit: 'seed and draw' | 'draw', of?: readonly [string, string]) => verifiedOver(judged, unit, of);
  const [page, findings] = [ARENA_PAGE, 'docs/findings.md'].map(pageOf);
  const merge = said(over('seed and draw', ['trusted-only', 'merge']), ' points');
  expect(page).toContain(
    `Over the 15 pairs merge is ${merge} above it and the verifier ${said(over('seed and draw'))};`,
  );
  expect(findings).toContain(`adds ${merge} over 15 pairs`);
  const short3 = over('draw', ['repaired', 'total']);
  expect(page).toContain(
    `the verifier's interval is ${bounds(over('draw'))}, and that of the ${points(short3.mean!)} points by which \`trusted-only\` ends below repaired graders ${bounds(short3)}.`,
  );
  // One unit a sentence: the placebos over the pairs that merge and the verifier are over.
  const placebos = ['agree_random', 'verifier_random'].map((arm) => said(over('seed and draw', [arm, 'total'])));
  expect(page).toContain(`agreement's ${placebos[0]} and the verifier's ${placebos[1]}, with half of the hack`);
  const byMode = (of: 'honest' | 'hack', other: string, mode: string) =>
    verifiedAgainst(judged, other, of, undefined, mode);
  const [marker, sentinel] = ARENA_MODES.map((mode) => said(byMode('honest', 'trusted-only', mode)));
  expect(page).toContain(`By mode it is ${marker} in \`stdout_marker\` and ${sentinel} in \`sentinel\`.`);
  const placebo = ARENA_MODES.map((mode) => {
    const { mean, interval } = byMode('hack', 'verifier_random', mode);
    return `\`${mode}\` ${points(-mean!)} [${points(-interval!.high)}, ${points(-interval!.low)}]`;
  });
  expect(page).toContain(`(${placebo[1]}, ${placebo[0]})`);
  const vanilla = new Map(over('draw', ['none', 'total']).each.map(({ of, value }) => [of, points(Math.abs(value))]));
  expect(page).toContain(
    `${vanilla.get('draw 7')} above, ${vanilla.get('draw 17')} below and ${vanilla.get('draw 27')} below by draw`,
  );
  const short = narrowCells(narrow).map(
    (cell) =>
      honestOf(cell, 'repaired', 'total')! - honestOf(anyTrusted(narrow, cell[0].spec), 'trusted-only', 'total')!,
  );
  expect(findings).toContain(`(${points(meanAndInterval(short).mean!)} in P4's eight draws)`);
});

it('the pages agree with P8’s runs on the verifier in other draws', () => {
  const own = arenaRuns('draws');
  expect(own).toHaveLength(2 * 12 + 12 + 3 * 5);
  const runs = [...own, ...arenaRuns('narrow')];
  const estimates = drawsEstimates(runs);
  expect(judge(DRAWS_RULE, estimates).status).toBe('fails');
  const [arena, book, findings] = [ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md'].map(pageOf);
  const removed = `${whole(estimates.removed!.mean!)}% [${whole(estimates.removed!.interval!.low)}, ${whole(estimates.removed!.interval!.high)}]`;
  expect(arena).toContain(`${removed} is removed, where the bar asks for 90%`);
  expect(findings).toContain(`(P8: ${removed} removed)`);
  const { low, high } = estimates.removed!.interval!;
  const left = `${whole(1 - estimates.removed!.mean!)}% [${whole(1 - high)}, ${whole(1 - low)}] of the hack`;
  for (const text of [SINCE, arena]) expect(text).toContain(`leaves ${left}`);
  const said = (key: keyof typeof estimates, unit = '', sign: 1 | -1 = 1) => {
    const { mean, interval } = estimates[key]!;
    const ends = [sign * interval!.low, sign * interval!.high].sort((a, b) => a - b);
    return `${points(sign * mean!)}${unit} [${ends.map(points).join(', ')}]`;
  };
  expect(arena).toContain(
    `${said('overTrusted', ' points')} the verifier, ${said('moreOverTrusted')} \`trusted-only\` with 12 prompts`,
  );
  expect(arena).toContain(`The verifier is ${said('overMore', ' points')} above that`);
  expect(arena).toContain(`its placebo hacks on ${said('placeboHack', ' points')} more`);
  expect(arena).toContain(`solves as much (${said('overPlacebo')} below)`);
  expect(arena).toContain(`In P8's twelve draws it gains ${said('overTrusted')}.`);
  for (const key of ['overMore', 'placeboHack', 'moreOverTrusted', 'againstRepaired'] as const)
    expect(book).toContain(intervalText(estimates[key]!, three));
  const draws = newDraws(runs);
  const honest = (draw: (typeof draws)[number], arm: string, model = 'total') => honestOf(draw.runs, arm, model)!;
  const below = meanAndInterval(draws.map((draw) => honest(draw, 'repaired') - honest(draw, 'trusted-only')));
  const gains = draws.map((draw) => {
    const base = honest(draw, 'trusted-only', 'base');
    return [honest(draw, 'trusted-only') - base, honest(draw, 'repaired') - base] as const;
  });
  const kept = fieller(gains);
  expect(arena).toContain(
    `In P8's twelve draws it ends ${points(below.mean!)} points [${points(below.interval!.low)}, ${points(below.interval!.high)}] below them, and keeps ${whole(kept.ratio!)}% [${whole(kept.interval!.low)}, ${whole(kept.interval!.high)}] of what they teach.`,
  );
  const tables = [
    ...(['none', 'trusted-only', 'verifier', 'verifier_random', 'repaired'] as const).map((arm) =>
      ratesOf(
        draws.map((draw) => draw.runs),
        arm,
        'total',
      ),
    ),
    ratesOf(
      draws.map(({ more }) => more),
      'trusted-only',
      'total',
    ),
  ];
  for (const rates of tables) {
    const of = (rate: 'honest' | 'hack') => {
      const { mean, interval } = meanAndInterval(rates.map((one) => one![rate]));
      return `${two(mean!)} [${two(interval!.low)} ${two(interval!.high)}]`;
    };
    expect(book).toContain(`| ${of('honest')} | ${of('hack')} |`);
  }
  const hacks = tables[2].map((one) => whole(one!.hack)).toSorted((a, b) => Number(b) - Number(a));
  expect(arena).toContain(
    `In nine draws the verifier hacks on at most ${hacks[3]}% of the hackable prompts, in three on ${hacks[2]}, ${hacks[1]} and ${hacks[0]}%.`,
  );
  // Hack rate of the hackable rollouts of steps 11 to 20 and the Brier score there, for the draws in which hacking takes off and for the others.
  const early = draws.map(({ runs }) => {
    const { rows, spec } = runs.find((run) => run.spec.arm === 'verifier')!;
    const part = rows.slice(10, 20);
    const hacks = part.map((row) => metricValue(row.student, 'hack')!);
    const [rolled] = [(spec.promptsPerStep ?? 8) * (1 - (spec.honestShare ?? 0)) * 8 * part.length];
    const brier = mean(part.flatMap(({ verifierBrier }) => verifierBrier ?? []))!;
    return { hacks: Math.round(mean(hacks)! * rolled), brier, rolled };
  });
  const takesOff = tables[2].map((one) => one!.hack > 0.1);
  const sorted = (isHacking: boolean, of: 'hacks' | 'brier') =>
    early.flatMap((one, i) => (takesOff[i] === isHacking ? one[of] : [])).toSorted((a, b) => a - b);
  const ends = (isHacking: boolean) => [0, -1].map((i) => two(sorted(isHacking, 'brier').at(i)!)).join(' to ');
  expect(book).toContain(
    `three draws have ${sorted(true, 'hacks')
      .join(', ')
      .replace(
        /, (\d+)$/,
        ' and $1',
      )} hacks in ${early[0].rolled} hackable rollouts, the other nine ${sorted(false, 'hacks')[0]} to ${sorted(false, 'hacks').at(-1)}`,
  );
  expect(book).toContain(`is ${ends(true)} there and ${ends(false)} elsewhere`);
  // P4's runs with trusted strings have the same base as their vanilla, since arms that read no trusted problem do
  // not depend on them.
  const bases = draws.map(({ runs: [first, ...rest] }) =>
    rest.every((run) => JSON.stringify(finalRow(run, 'base')?.all) === JSON.stringify(finalRow(first, 'base')?.all)),
  );
  expect(bases).toEqual(Array(12).fill(true));
});

it('the pages agree with P11’s runs on a verifier where trusted problems fall short', () => {
  const runs = arenaRuns('apart', 'apart-baselines');
  const { cells, stopped, more } = apartCells(runs);
  expect([cells, stopped, more].map((group) => group.map((cell) => cell.length))).toEqual(
    [5, 1, 1].map((many) => COMPOSED_DRAWS.map(() => many)),
  );
  const own = apartEstimates(runs);
  expect(verdictText(judge(APART_RULE, own))).toBe('fails: some of the hack is left');
  const [arena, book, findings] = [ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md'].map(pageOf);
  const inRange = (of: (share: number) => string, { mean, interval }: Estimate, unit = '', sign: 1 | -1 = 1) => {
    const ends = [sign * interval!.low, sign * interval!.high].toSorted((a, b) => a - b);
    return `${of(sign * mean!)}${unit} [${ends.map(of).join(', ')}]`;
  };
  const { points: rows } = publishedArena(PROJECT, 'apart')!.sheet;
  const kept = (arm: string) => {
    const { ratio, interval } = rows.find((row) => row.arm === arm && row.model === 'total')!.kept.honest;
    return `${whole(ratio!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  };
  expect(arena).toContain(
    `\`trusted-only\` keeps ${kept('trusted-only')} of what repaired graders teach, vanilla ${kept('none')}, the verifier ${kept('verifier')}`,
  );
  const honest = (cell: readonly RunRecord[]) => honestOf(cell, 'trusted-only', 'total')!;
  const over = (group: readonly RunRecord[][]) => {
    const { mean, interval } = pairedT(cells.map((cell, i) => honest(group[i]) - honest(cell)))!;
    return `${points(mean)}${group === stopped ? ' points' : ''} [${points(interval.low)}, ${points(interval.high)}] more`;
  };
  expect(arena).toContain(`after 100 steps it solves ${over(stopped)}, with 12 prompts a step ${over(more)}`);
  expect(arena).toContain(`The verifier removes ${inRange(whole, own.removed!).replace(' [', '% [')}: it hacks on`);
  const left = own.removed!.interval!;
  expect(arena).toContain(
    `leaves ${whole(1 - own.removed!.mean!)}% [${whole(1 - left.high)}, ${whole(1 - left.low)}] of the hack (P11 fails)`,
  );
  const placebo = apartEstimates(runs, APART.placebo, APART.own);
  expect(arena).toContain(`${inRange(whole, placebo.removed!).replace(' [', '% [')} removed, as much solved`);
  expect(arena).toContain(`(the verifier ${inRange(points, own.overPlacebo!, ' points', -1)} below)`);
  expect(findings).toContain(`${inRange(whole, own.overTrusted!, ' points')} more than the tenth alone`);
  expect([Math.sign(own.overVanilla!.interval!.low), Math.sign(own.overVanilla!.interval!.high)]).toEqual([-1, 1]);
  expect(findings).toContain(
    `leaves ${whole(1 - own.removed!.mean!)}% of the hack, its placebo ${whole(1 - placebo.removed!.mean!)}%`,
  );
  for (const key of ['overTrusted', 'overStopped', 'overMore', 'half'] as const)
    expect(book).toContain(intervalText(own[key]!, three));
  const short = own.againstRepaired!;
  expect(book).toContain(
    `${three(-short.mean!)} [${three(-short.interval!.high)} ${three(-short.interval!.low)}] less than repaired graders`,
  );
  const lines: [readonly (readonly RunRecord[])[], string, string][] = [
    [cells, 'none', 'base'],
    ...['none', 'trusted-only', 'verifier', 'verifier_random', 'repaired'].map(
      (arm): [readonly (readonly RunRecord[])[], string, string] => [cells, arm, 'total'],
    ),
    [stopped, 'trusted-only', 'total'],
    [more, 'trusted-only', 'total'],
  ];
  for (const [group, arm, model] of lines) {
    const rates = ratesOf(group, arm, model);
    const of = (rate: 'honest' | 'hack') =>
      intervalText({ ...own.removed!, ...meanAndInterval(rates.map((one) => one![rate])) }, two);
    expect(book, arm).toContain(`| ${of('honest')} | ${of('hack')} |`);
  }
});

it('the pages agree with P12’s runs on more trusted problems', () => {
  const own = trustedSharesEstimates(arenaRuns('apart', 'trusted-shares'));
  expect(judge(TRUSTED_SHARES_RULE, own).status).toBe('open');
  const kept = ({ mean, interval }: Estimate) => `${whole(mean!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  const [twice, fourTimes] = [own['kept:twice']!, own['kept:fourTimes']!];
  const [arena, book, findings, how] = [
    ...[ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md', 'docs/how-to/choose-a-method.md'],
  ].map(pageOf);
  expect(arena).toContain(
    `\`trusted-only\` keeps ${kept(twice)}, with four tenths ${kept(fourTimes)}, without the hack`,
  );
  expect(findings).toContain(
    `keep ${kept(twice)} of what repaired graders teach there, four tenths ${kept(fourTimes)}`,
  );
  expect(how).toContain(`two tenths ${whole(twice.mean!)}%, four tenths ${whole(fourTimes.mean!)}% (P12:`);
  for (const key of ['gain:twice', 'gain:fourTimes', 'kept:twice', 'kept:fourTimes', 'overVanilla:fourTimes'] as const)
    expect(book, key).toContain(intervalText(own[key]!, two));
  // Two tenths end below halfway by the interval; four tenths are not shown to end above it.
  expect(own['half:twice']!.interval!.high).toBeLessThan(0);
  const { low, high } = own['half:fourTimes']!.interval!;
  expect([Math.sign(low), Math.sign(high)]).toEqual([-1, 1]);
});

it('the pages agree with P13’s runs on one of two blocks', () => {
  const runs = arenaRuns('draws', 'narrow', 'unlabelled');
  const own = unlabelledEstimates(runs);
  expect(verdictText(judge(UNLABELLED_RULE, own))).toBe('in part: no more than a smaller step is shown');
  const { mean, interval } = own.removed!;
  const removed = `${whole(mean!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  const [arena, book, findings, how] = [
    ...[ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md', 'docs/how-to/choose-a-method.md'],
  ].map(pageOf);
  expect(arena).toContain(`one block removes ${removed}`);
  expect(findings).toContain(`two blocks that nothing sorts remove ${removed} of the hack`);
  expect(book).toContain(
    `hack differs by ${intervalText(own['hack:0.5']!, two)} and honest solve by ${intervalText(own['solve:0.5']!, two)}`,
  );
  // At half of the interpolation neither rate differs by its interval.
  for (const key of ['solve:0.5', 'hack:0.5'] as const) {
    const { low, high } = own[key]!.interval!;
    expect([Math.sign(low), Math.sign(high)], key).toEqual([-1, 1]);
  }
  const draws = unlabelledDraws(runs);
  const rates = (of: (draw: (typeof draws)[number]) => RunRecord, arm: string, model: string) => {
    const each = ratesOf(
      draws.map((draw) => [of(draw)]),
      arm,
      model,
    ).map((one) => one!);
    return (['hack', 'honest'] as const).map((kind) => whole(each.reduce((sum, one) => sum + one[kind], 0) / 12));
  };
  const [early, vanilla] = ['alpha_0.375', 'total'].map((model) => rates(({ vanilla }) => vanilla, 'none', model));
  const [, untrained] = rates(({ vanilla }) => vanilla, 'none', 'base');
  expect(how).toContain(
    `it hacks on ${early[0]}% and solves ${early[1]}%, where vanilla hacks on ${vanilla[0]}% and solves ${vanilla[1]}%, the untrained model ${untrained}%`,
  );
});
