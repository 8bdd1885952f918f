// Compares the statements of the arena's pages with the published runs.
import { expect, it } from 'vitest';
import { COMPOSED, MISCONCEIVED } from '../../../../src/environments/code/types.ts';
import { shareText, solveOn } from '../../../../src/experiments/analysis/arena.ts';
import { armLabel } from '../../../../src/experiments/analysis/names.ts';
import { BASE_RELEARNED, RELEARNED } from '../../../../src/experiments/config/controls.ts';
import type { Estimate } from '../../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../../src/experiments/judge/estimate.ts';
import { type Judgeable, judge, verdictText } from '../../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { MEASURES } from '../../../../src/experiments/records/measures.ts';
import { finalRow, metricValue } from '../../../../src/experiments/records/metrics.ts';
import { ARENA_MODES } from '../../../../src/findings/arena/bar.ts';
import { three, two } from '../../../../src/lib/numbers.ts';
import { mean, sum } from '../../../../src/stats/index.ts';
import { ARENA_SOURCE, publishedDraws } from '../../../draws/published.ts';
import { meanAndInterval } from '../../../judge/estimates.ts';
import { publishedArena } from '../../../judge/publish.ts';
import { arenaRuns, PROJECT, pageOf, points, whole } from '../../../judge/testing/pages.ts';
import { COMPOSED_RULE, composedEstimates } from '../composed.ts';
import { earlyWarning, estimateOf, WARNING_RULE } from '../early-warning.ts';
import { mergingEstimates } from '../merging.ts';
import { anyTrusted, NARROW_ARMS, NARROW_DRAWS, narrowCells, narrowEstimates } from '../narrow.ts';
import { judgedRowsBy } from './by-setting.ts';
import { arenaEstimates, ratesOf } from './estimates.ts';
import { nameOfCell } from './published.ts';
import { ARENA_PAGE } from './text.ts';

/** Arms in the order of the page. */
const RELEARNT = [
  ...['repaired', 'trusted-only', 'verifier', 'blocks_online', 'blocks', 'agree', 'trusted_subspace', 'tdga'],
] as const;

it('the arena’s page agrees with the judged runs on each finalist and on the blocks’ cells', () => {
  const page = pageOf(ARENA_PAGE);
  const judged = [...publishedDraws(PROJECT, ARENA_SOURCE).values()];
  const said = (of: Judgeable | undefined, text: (share: number) => string) =>
    of?.interval ? `${text(of.mean!)} [${text(of.interval.low)}, ${text(of.interval.high)}]` : 'not defined';
  const finalists = [
    ...([
      ['trusted-only', 'merge'],
      ['trusted_subspace', 'deployed'],
      ['blocks', 'deployed'],
    ] as const),
    ...([
      ['tdga', 'total'],
      ['blocks_online', 'deployed'],
      ['agree', 'total'],
      ['agree_random', 'total'],
      ['verifier', 'total'],
      ['verifier_random', 'total'],
    ] as const),
  ];
  for (const [arm, model] of finalists) {
    const { overTrusted, againstRepaired, overInterpolation, ...removed } = arenaEstimates(judged, arm, model);
    const cells = [
      ...ARENA_MODES.map((mode) => said(removed[`removed:${mode}`], whole)),
      ...[overTrusted, againstRepaired, overInterpolation].map((of) => said(of, points)),
    ];
    expect(page, `${arm}, ${model}`).toContain(`| ${cells.join(' | ')} |`);
  }
  const honest = (arm: string, model: string) =>
    new Map(
      judged.flatMap((run) => {
        const row = run.spec.arm === arm ? finalRow(run, model) : null;
        return row
          ? [[nameOfCell(run), { solve: solveOn(row.all, 'honest')!, hack: row.all.figures.hack! }] as const]
          : [];
      }),
    );
  const [repaired, base] = [honest('repaired', 'total'), honest('repaired', 'base')];
  const counts = (arm: string) => {
    const own = [...honest(arm, 'deployed')];
    return {
      near: own.filter(([cell, { solve }]) => repaired.get(cell)!.solve - solve <= 0.03).length,
      below: own.filter(([cell, { solve }]) => solve < base.get(cell)!.solve).length,
      hack: own.filter(([, { hack }]) => hack > 0.1).length,
    };
  };
  const [gate, online] = [counts('blocks'), counts('blocks_online')];
  expect(page).toContain(
    `repaired graders in ${gate.near} of 30 cells; in ${gate.below} it solves fewer than the base`,
  );
  expect(page).toContain(`Online those are ${online.near} and ${online.below}, and in five cells`);
  expect(online.hack).toBe(5);
});

it('the arena’s page agrees with the runs on what each arm relearns against the untrained model', () => {
  const page = pageOf(ARENA_PAGE);
  const all = arenaRuns('relearning');
  const hacks = (arm: string, model: string) =>
    new Map(
      all.flatMap((run) => {
        const row = run.spec.arm === arm ? finalRow(run, model) : null;
        return row ? [[nameOfCell(run), row.all.figures.hack as number] as const] : [];
      }),
    );
  const base = hacks('none', BASE_RELEARNED);
  const rows = RELEARNT.map((arm) => {
    const own = [...hacks(arm, RELEARNED)];
    expect(own).toHaveLength(6);
    const { mean, interval } = meanAndInterval(own.map(([cell, hack]) => hack - base.get(cell)!));
    const after = points(own.reduce((sum, [, hack]) => sum + hack, 0) / own.length);
    return `| ${armLabel(arm)} | ${after} | ${points(mean!)} [${points(interval!.low)}, ${points(interval!.high)}] |`;
  });
  const untrained = points([...base.values()].reduce((sum, hack) => sum + hack, 0) / base.size);
  for (const row of [`| untrained | ${untrained} | |`, ...rows]) expect(page).toContain(row);
});

it('the arena’s page agrees with P4’s runs on each method, and the runs are those of its plan', () => {
  const page = pageOf(ARENA_PAGE);
  const all = arenaRuns('narrow');
  const runs = all.filter(({ spec }) => NARROW_ARMS.includes(spec.arm));
  expect(runs).toHaveLength(7 * NARROW_DRAWS.length);
  // P7's runs of the verifier and of its placebo are among them.
  expect(all).toHaveLength(9 * NARROW_DRAWS.length);
  expect(narrowCells(runs).map(([{ spec }]) => spec.dataSeed)).toEqual([...NARROW_DRAWS]);
  const estimates = narrowEstimates(runs);
  const said = (of: Judgeable | undefined, text: (share: number) => string) =>
    of?.interval ? `${text(of.mean!)} [${text(of.interval.low)}, ${text(of.interval.high)}]` : '';
  for (const [name, key] of [
    ['repaired graders', 'short'],
    ['any trusted problems', 'narrowing'],
    ['merged with vanilla', 'merge'],
    ['curriculum', 'curriculum'],
    ['agreement by element', 'agree'],
    ['its placebo', 'agree_random'],
  ] as const) {
    const [over, removed] =
      key === 'short' || key === 'narrowing'
        ? [estimates[key]]
        : [estimates[`over:${key}`], estimates[`removed:${key}`]];
    expect(page).toContain(`| ${name} | ${said(over, points)} | ${said(removed, whole)} |`);
  }
  const cells = narrowCells(runs);
  const rates = (arm: string, model: string, of = cells) => ratesOf(of, arm, model).map((one) => one!);
  const vanilla = rates('none', 'total');
  const strings = rates('trusted-only', 'total');
  const above = { n: 8, each: [], ...meanAndInterval(vanilla.map(({ honest }, i) => honest - strings[i].honest)) };
  expect(page).toContain(`| vanilla | ${said(above, points)} | 0 |`);
  for (const [name, arm, model] of [
    ['vanilla', 'none', 'total'],
    ['curriculum', 'curriculum', 'total'],
    ['agreement by element', 'agree', 'total'],
    ['its placebo', 'agree_random', 'total'],
    ['merged with vanilla', 'trusted-only', 'merge'],
    ['verifier', 'verifier', 'total'],
    ["the verifier's placebo", 'verifier_random', 'total'],
  ] as const) {
    const hacks = rates(arm, model, narrowCells(all)).map(({ hack }) => whole(hack));
    expect(page).toContain(`| ${name} | ${hacks.join(' | ')} |`);
  }
  const mean = (of: readonly { honest: number }[]) => of.reduce((sum, { honest }) => sum + honest, 0) / of.length;
  const base = mean(rates('none', 'base'));
  const kept = (of: readonly { honest: number }[]) =>
    whole((mean(of) - base) / (mean(rates('repaired', 'total')) - base));
  const any = cells.map(([{ spec }]) => anyTrusted(runs, spec));
  expect(page).toContain(`keeps ${kept(strings)}% of what repaired graders teach; on as many`);
  expect(page).toContain(`in the same draws, ${kept(rates('trusted-only', 'total', any))}%.`);
});

it('the pages agree with P5’s runs on merging’s controls', () => {
  const [arena, book] = [ARENA_PAGE, 'docs/lab-book/prediction.md'].map(pageOf);
  const own = arenaRuns('merging');
  expect(own).toHaveLength(2 * NARROW_DRAWS.length);
  const estimates = mergingEstimates([...own, ...arenaRuns('narrow')]);
  const inPoints = (key: 'random' | 'scaled' | 'average', sign: 1 | -1) => {
    const { mean, interval } = estimates[`over:${key}`]!;
    const ends = [sign * interval!.low, sign * interval!.high].sort((a, b) => a - b);
    return { mean: points(sign * mean!), within: `[${ends.map(points).join(', ')}]` };
  };
  const [random, scaled, average] = [inPoints('random', 1), inPoints('scaled', 1), inPoints('average', -1)];
  expect(arena).toContain(`signs random solves ${random.mean} points ${random.within} less than merged`);
  expect(arena).toContain(`norm of the merged one ${scaled.mean} ${scaled.within} less`);
  expect(arena).toContain(`solve ${average.mean} points ${average.within} more than merged`);
  const { mean, interval } = estimates['removed:average']!;
  expect(arena).toContain(`remove ${whole(mean!)}% [${whole(interval!.low)}, ${whole(interval!.high)}] of the hack`);
  for (const key of ['random', 'scaled', 'average'] as const)
    expect(book).toContain(`| ${intervalText(estimates[`over:${key}`]!, three)} |`);
  // The same specs and seed as P4's: the same merged models, to the bit.
  const merged = (runs: readonly RunRecord[]) =>
    narrowCells(runs).map((cell) => cell.flatMap((run) => finalRow(run, 'merge')?.all ?? []).at(0));
  const before = arenaRuns('narrow').filter(({ spec }) => spec.arm === 'trusted-only');
  expect(merged(own)).toEqual(merged(before));
});

it('the arena’s page agrees with the runs with KL on early warnings', () => {
  const { warnings, estimates } = earlyWarning(arenaRuns('warning'));
  expect(verdictText(judge(WARNING_RULE, estimates))).toMatch(/^open: 12 of 12 runs that hack; 15 are wanted/);
  const of = (name: string) => warnings.find(({ signal }) => signal === name)!;
  const auc = (name: string) => intervalText(estimateOf(of(name).auc), two).replace(/ (?=[^[]*\])/, ', ');
  const arena = pageOf(ARENA_PAGE);
  expect(arena).toContain(
    `AUC ${auc('directionsKept')} of the directions, ${auc('kl')} of KL, ${auc('length')} of length`,
  );
  const alarms = (name: string) => of(name).lead.filter((lead) => lead > 0).length;
  expect(arena).toContain(
    `an alarm in ${alarms('kl')} runs of 12, length in ${alarms('length')}, the directions in none`,
  );
  expect([alarms('directionsKept'), alarms('reward')]).toEqual([0, 0]);
  // The page quotes the live chart's text.
  const { warnings: first, estimates: theirs } = earlyWarning(arenaRuns('judged'));
  const asked = judge(WARNING_RULE, theirs);
  const led = (name: string) => first.find(({ signal }) => signal === name)!.lead.filter((lead) => lead > 0).length;
  expect(arena).toContain(`in P3's judged cells it does in ${led('length')} of 21`);
  const how = pageOf('docs/how-to/choose-a-method.md');
  expect(how).toContain(
    `completion length warned in ${led('length')}, reward in ${led('reward')}, the update's directions in ${led('directionsKept')}`,
  );
  expect(asked.status).toBe('fails');
  expect(MEASURES.directionsKept.chart?.about).toContain('No early warning in the judged runs (P3)');
});

it('the arena’s page agrees with the rows on every other method', () => {
  const page = pageOf(ARENA_PAGE);
  const section = page.slice(page.indexOf('## Every other method'), page.indexOf('<!-- arena others'));
  const { points } = publishedArena(PROJECT, 'others')!.sheet;
  const others = arenaRuns('others');
  const row = (arm: string, model = 'total') =>
    points.find((point) => point.arm === arm && point.model === model) ?? expect.fail(`no row ${arm} ${model}`);
  const kept = (arm: string, model?: string) => {
    const { ratio, interval } = row(arm, model).kept.honest;
    return `${whole(ratio!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  };
  const removed = (arm: string, model?: string) => row(arm, model).removed.ratio!;
  // If some of the hack is left, its share is known to no better than half of the hack.
  const left = points.filter(
    ({ model, removed }) => removed.ratio !== 0 && removed.ratio! < 0.8 && !model.includes('alpha'),
  );
  const isWide = ({ removed }: (typeof points)[number]) => removed.interval!.high - removed.interval!.low > 0.5;
  expect(left.filter((point) => !isWide(point)).map(({ arm, model }) => `${arm} ${model}`)).toEqual([]);
  expect(left.length).toBeGreaterThan(20);
  const trusted = row('trusted-only').kept.honest;
  const better = points.filter(
    ({ arm, model, removed, kept }) =>
      arm !== 'repaired' && model !== 'merge' && removed.ratio! >= 0.9 && kept.honest.ratio! > trusted.ratio!,
  );
  expect(better.map(({ arm }) => arm).toSorted()).toEqual([
    ...['blocks_labels', 'blocks_labels_wrong', 'verifier', 'verifier_gate'],
  ]);
  for (const { kept } of better) expect(kept.honest.interval!.low).toBeLessThan(trusted.interval!.high);
  expect(section).toContain(`removes ${whole(removed('inoculation'))}% and keeps ${kept('inoculation')}`);
  expect(section).toContain(
    `as a penalty, removes the hack and keeps ${kept('penalty')}; in screening it leaves half of it`,
  );
  const labels = (arm: string) => kept(arm, 'deployed');
  const gone = (arm: string) => whole(removed(arm, 'deployed'));
  expect(section).toContain(`${gone('blocks_labels_0')}% of the hack goes and ${labels('blocks_labels_0')} is kept`);
  expect(section).toContain(
    `${gone('blocks_labels_5')}, ${gone('blocks_labels')} and ${gone('blocks_labels_wrong')}% go, and ${labels('blocks_labels_5')}, ${labels('blocks_labels')} and ${labels('blocks_labels_wrong')} are kept`,
  );
  expect(section).toContain(
    `it removes ${whole(removed('penalty_80'))}% and keeps ${kept('penalty_80')}, seven times ${whole(removed('penalty_70'))}% and ${kept('penalty_70')}`,
  );
  const solves = others
    .filter(({ spec }) => spec.arm === 'blocks_labels_100')
    .map((run) => (['deployed', 'base'] as const).map((model) => solveOn(finalRow(run, model)!.all, 'honest')!));
  expect([solves.length, solves.filter(([own, base]) => own < base).length]).toEqual([6, 5]);
  expect(removed('screening')).toBeGreaterThan(0.4);
  expect(removed('screening')).toBeLessThan(0.6);
  expect(section).toContain(`keeps ${kept('router', 'deployed')}`);
  const [placebo, own] = [kept('router_random', 'deployed'), whole(removed('router_random', 'deployed'))];
  expect(section).toContain(`removes ${own}% and keeps ${placebo}`);
  expect(section).toContain(`${kept('trusted_subspace_all', 'deployed')} kept with one span of all modules`);
  expect(section).toContain(`${kept('trusted_subspace_adam', 'deployed')} in Adam's metric`);
  expect(section).toContain(`${kept('trusted_subspace', 'deployed')} plain`);
  expect(section).toContain(`random directions ${kept('trusted_subspace_random', 'deployed')}`);
  expect(section).toContain(`halfway it keeps ${kept('trusted_subspace', 'deployed_alpha_0.5')}`);
  const early = [whole(removed('none', 'alpha_0.375')), kept('none', 'alpha_0.375')];
  expect(section).toContain(`at ⅜ of the way (${early[0]}% removed, ${early[1]} kept)`);
  const both = (arm: string, unit: string) => `${whole(removed(arm))}%${unit} ${kept(arm)}`;
  expect(section).toContain(
    `As a gate it removes ${both('verifier_gate', ' and keeps')}; with the same probabilities permuted among rollouts of equal reward it removes ${both('verifier_gate_random', ' and keeps')}`,
  );
  expect(section).toContain(
    `removes ${both('agree_rollout', ' and keeps')}, its placebo ${both('agree_rollout_random', ' and')}`,
  );
  const byRollout = others.filter(({ spec }) => spec.arm === 'agree_rollout').map(({ rows }) => rows);
  expect(byRollout).toHaveLength(6);
  const ends = (values: readonly number[]) => `${whole(Math.min(...values))} to ${whole(Math.max(...values))}%`;
  const all = byRollout.map((rows) => mean(rows.flatMap(({ gated }) => gated ?? []))!);
  // Each step is weighted by its number of hacks.
  const hacks = byRollout.map((rows) => {
    const seen = rows.flatMap(({ gateRecall, student }) =>
      gateRecall === null || gateRecall === undefined ? [] : [{ gateRecall, hack: metricValue(student, 'hack')! }],
    );
    return sum(seen.map(({ gateRecall, hack }) => gateRecall * hack)) / sum(seen.map(({ hack }) => hack));
  });
  expect(section).toContain(
    `By run it leaves out ${ends(hacks)} of the hacks, a step counted by its hacks, and ${ends(all)} of all rollouts that have an advantage`,
  );
  expect(section).toContain(
    `removes ${both('curriculum_kl', ' and keeps')}, one within a distance of it ${both('curriculum', ' and')}`,
  );
  for (const arm of [
    'agem',
    'pcgrad',
    'agree_module',
    'agree_rollout',
    'kl',
    'curriculum',
    'curriculum_kl',
    'consensus',
  ])
    expect(removed(arm), arm).toBeLessThan(0.3);
  // Both arms remove hack in one cell only.
  const hackOf = (of: readonly RunRecord[], arm: string, isOne: boolean) =>
    of
      .filter(({ spec }) => spec.arm === arm && spec.seed === 51)
      .filter(({ spec }) => (spec.dataSeed === 7 && spec.modes[0] === 'sentinel') === isOne)
      .map((run) => metricValue(finalRow(run, 'total')!.all, 'hack')!);
  const vanilla = arenaRuns('judged');
  const one = ['agree_rollout', 'curriculum_kl'].map((arm) => whole(hackOf(others, arm, true)[0]));
  expect(section).toContain(
    `hacks on ${one[0]}% and ${one[1]}% of the hackable prompts, vanilla on ${whole(hackOf(vanilla, 'none', true)[0])}%`,
  );
  for (const arm of ['agree_rollout', 'curriculum_kl'])
    expect(mean(hackOf(others, arm, false))!).toBeGreaterThan(mean(hackOf(vanilla, 'none', false))!);
  const online = others
    .filter(({ spec }) => spec.arm === 'router_online')
    .map((run) => finalRow(run, 'deployed')!.all)
    .map((all) => ({ solve: solveOn(all, 'honest')!, hack: metricValue(all, 'hack')! }));
  expect([online.length, online.filter(({ solve }) => solve < 0.005).length]).toEqual([6, 2]);
  const hacking = online.flatMap(({ hack }) => (hack > 0.05 ? [hack] : []));
  expect(section).toContain(
    `in four it hacks on ${whole(Math.min(...hacking))} to ${whole(Math.max(...hacking))}% of the hackable prompts`,
  );
  expect(hacking).toHaveLength(4);
  expect(section).toContain(`loses most of the skill as well (${kept('route', 'deployed')} kept)`);
  for (const arm of ['route', 'route-update', 'erase'])
    expect(removed(arm, row(arm, arm === 'erase' ? 'total' : 'deployed').model), arm).toBeLessThan(0.2);
});

it('the pages agree with P9’s and P10’s runs on a trusted tenth that shows half of the parts', () => {
  const [arena, findings] = [ARENA_PAGE, 'docs/findings.md'].map(pageOf);
  const first = composedEstimates(arenaRuns('composed'), COMPOSED);
  const second = composedEstimates(arenaRuns('misconceived'), MISCONCEIVED);
  expect([first, second].map((of) => judge(COMPOSED_RULE, of).status)).toEqual(['fails', 'holds']);
  const said = ({ mean, interval }: Estimate, unit = '') =>
    `${whole(mean!)}${unit} [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  expect(arena).toContain(`repaired graders are ${said(first.short!, ' point')} above \`trusted-only\``);
  expect(arena).toContain(`\`trusted-only\` keeps ${said(first['kept:trusted']!, '%')} of that`);
  expect(findings).toContain(`keeps ${said(first['kept:trusted']!, '%')} of the ${whole(first.gain!.mean!)} points`);
  expect(arena).toContain(`gain ${said(second.gain!, ' points')} and \`trusted-only\` ${said(second.learnt!)}`);
  expect(arena).toContain(`a gap of ${said(second.short!)}`);
  expect(arena).toContain(`The gap is ${said(second.shortShown!)} where both parts are shown`);
  expect(arena).toContain(`and ${said(second.shortUnshown!)} elsewhere`);
  const control = composedEstimates(arenaRuns('longer'), COMPOSED).short!.each.map(({ value }) => whole(value));
  expect(arena).toContain(`(${control[0]}, ${control[1]} and ${control[2]} points in three draws`);
});

it('the table of other learning rates agrees with its runs', () => {
  const page = pageOf(ARENA_PAGE);
  const rows = judgedRowsBy(arenaRuns('tuning'), ['lr', 'k']).filter(
    ({ arm, model }) => model === (arm === 'trusted_subspace' ? 'deployed' : 'total'),
  );
  expect(rows).toHaveLength(10);
  for (const { arm, settings, removed, kept } of rows) {
    const cells = [armLabel(arm), settings, shareText(removed, ''), shareText(kept.honest, '')];
    expect(page).toContain(`| ${cells.join(' | ')} |`);
  }
});

it('the table of what the quarantine holds agrees with its runs', () => {
  const page = pageOf(ARENA_PAGE);
  const runs = arenaRuns('quarantine');
  expect(runs).toHaveLength(18);
  for (const arm of ['blocks_labels', 'blocks', 'trusted_subspace']) {
    const own = runs.filter(({ spec }) => spec.arm === arm);
    const of = (model: string, solve: boolean) =>
      own.map((run) => {
        const { all } = finalRow(run, model)!;
        return solve ? solveOn(all, 'honest')! : metricValue(all, 'hack')!;
      });
    const cells = [true, false].flatMap((solve) =>
      ['base', 'total', 'deployed', 'quarantine'].map((model) => whole(mean(of(model, solve))!)),
    );
    const gained = estimateOf(of('quarantine', true).map((x, i) => x - of('base', true)[i]));
    expect(page, arm).toContain(
      `| ${[armLabel(arm), ...cells, `${points(gained.mean!)} [${points(gained.interval!.low)}, ${points(gained.interval!.high)}]`].join(' | ')} |`,
    );
  }
});

it('the page agrees with the runs on what the trusted subspace keeps with other shares, and refreshed', () => {
  const judged = arenaRuns('judged').filter(({ spec }) => spec.seed === 51);
  const rows = judgedRowsBy([...arenaRuns('spans'), ...judged], ['trustedShare', 'refreshEvery']).filter(
    ({ arm, model }) => arm === 'trusted_subspace' && model === 'deployed',
  );
  const kept = (settings: string) => {
    const { removed, kept } = rows.find((row) => row.settings === settings) ?? expect.fail(`no row ${settings}`);
    return `${whole(removed.ratio!)}% removed, ${shareText(kept.honest)} kept`;
  };
  expect(pageOf(ARENA_PAGE)).toContain(
    `with a twentieth trusted ${kept('trustedShare 0.05, refreshEvery 0')}; with a tenth ${kept('trustedShare 0.1, refreshEvery 0')}; with a fifth ${kept('trustedShare 0.2, refreshEvery 0')}; with a tenth and a new span after every ten steps ${kept('trustedShare 0.1, refreshEvery 10')}`,
  );
});
