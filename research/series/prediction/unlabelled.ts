// P13: two blocks that every rollout trains, of which one is deployed, without any label, pair or trusted problem. In six cells this removed 70% of
// the hack (the control blocks_labels_0). Does it in other draws, and is it better than a smaller step, that is, than the interpolation from the
// untrained model to vanilla with an adapter of the same size? The draws are P8's (draws.ts); the rule was written before these runs. The unit is a
// draw of the problems.

import { complement } from '../../../src/experiments/analysis/arena.ts';
import { isComplete } from '../../../src/experiments/analysis/compare.ts';
import { ALPHAS } from '../../../src/experiments/config/controls.ts';
import { withDefaults } from '../../../src/experiments/config/spec.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Rule } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { fieller } from '../../../src/stats/index.ts';
import { dotChart, presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import {
  drawsDifference,
  hackIn,
  hackOn,
  honestIn,
  honestOn,
  type RateIn,
  rateBeside,
  ratesOf,
  ratioEstimate,
} from './arena/estimates.ts';
import { nameOfCell } from './arena/published.ts';
import { AS_MANY, NEW_DRAWS } from './draws.ts';
import { namedRuns, sharesTable } from './shares.ts';

export const UNLABELLED = 'blocks_labels_0';
const [SEED, STEPS] = [51, 60];
/** Share of the hack that must be removed. */
const HALF = 0.5;

type OnWay = `${'solve' | 'hack'}:${(typeof ALPHAS)[number]}`;

const wayNames = Object.fromEntries(
  ALPHAS.flatMap((at) => [
    [`solve:${at}`, `one block − vanilla at ${at} of its way, honest solve`],
    [`hack:${at}`, `vanilla at ${at} of its way − one block, hack`],
  ]),
) as Record<OnWay, string>;

/** Names under which the hack's differences are shown: one block − vanilla, the sign that honest solve has. */
const SAID = Object.fromEntries(
  ALPHAS.map((at) => [`hack:${at}`, `one block − vanilla at ${at} of its way, hack of hackable prompts`]),
) as Partial<Record<OnWay, string>>;

/** Negates a difference. */
const turned = ({ mean, interval, each, ...rest }: Estimate, name = rest.name): Estimate => ({
  ...rest,
  name,
  mean: mean === null ? null : -mean,
  interval: interval && { low: -interval.high, high: -interval.low },
  each: each.map(({ of, value }) => ({ of, value: -value })),
});

type Key = 'removed' | 'removedOwn' | 'kept' | 'overTrusted' | 'trustedHack' | OnWay;

const NAMES: Readonly<Record<Key, string>> = {
  removed: 'hack removed, of what vanilla with as large an adapter adds',
  removedOwn: 'hack removed, of what both blocks together add',
  kept: 'kept of what repaired graders teach',
  overTrusted: 'one block − trusted only, honest solve',
  trustedHack: 'one block − trusted only, hack of hackable prompts',
  ...wayNames,
};

/** By the intervals no interpolated model dominates or equals it. */
const BEYOND = ALPHAS.map((at) => ({ any: [{ above: `solve:${at}` }, { above: `hack:${at}` }] })) as readonly {
  any: readonly { above: OnWay }[];
}[];
const REMOVES = { above: 'removed', bound: HALF } as const;

export const UNLABELLED_RULE: Rule<Key> = {
  needs: [{ of: ['removed', ...(Object.keys(wayNames) as OnWay[])], least: NEW_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { all: [REMOVES, ...BEYOND] } },
    { status: 'in part', because: 'no more than a smaller step is shown', when: REMOVES },
    { status: 'fails', because: 'less than half is removed', when: { below: 'removed', bound: HALF } },
    { status: 'open' },
  ],
  after:
    'Beyond a smaller step: at every eighth of the way from the untrained model to vanilla, one block solves more honest problems or hacks less, by an interval. Repaired graders and trusted problems alone are reported, not judged.',
};

/** A draw's runs: the blocks, vanilla with as large an adapter, and the known baselines. */
interface UnlabelledDraw {
  dataSeed: number;
  own: RunRecord;
  vanilla: RunRecord;
  /** Vanilla, repaired graders and RL on any trusted problems, with singular directions. */
  known: RunRecord[];
}

/** Returns complete draws only. Throws RangeError if a draw has one of its runs twice. */
export function unlabelledDraws(runs: readonly RunRecord[]): UnlabelledDraw[] {
  return NEW_DRAWS.flatMap((dataSeed) => {
    const here = runs.filter(isComplete).filter(({ spec }) => {
      const { dataSeed: draw, seed, steps } = withDefaults(spec);
      return draw === dataSeed && seed === SEED && steps === STEPS;
    });
    const of = (arm: string, adapter: string) =>
      here.filter(({ spec }) => spec.arm === arm && withDefaults(spec).adapter === adapter);
    const [own, vanilla] = [of(UNLABELLED, 'blocks'), of('none', 'lora')];
    if (own.length > 1 || vanilla.length > 1) throw new RangeError(`draw ${dataSeed} has a run twice`);
    if (!own[0] || !vanilla[0]) return [];
    const known = ['none', 'repaired', 'trusted-only'].flatMap((arm) =>
      of(arm, 'svd')
        .filter(({ spec }) => {
          const { promptsPerStep, trustedArguments } = withDefaults(spec);
          return promptsPerStep !== AS_MANY && (arm !== 'trusted-only' || trustedArguments.length === 0);
        })
        .slice(0, 1),
    );
    return [{ dataSeed, own: own[0], vanilla: vanilla[0], known }];
  });
}

export function unlabelledEstimates(runs: readonly RunRecord[]): Estimates<Key> {
  const draws = unlabelledDraws(runs);
  const cells = draws.map(({ own, vanilla, known }) => [own, vanilla, ...known]);
  /** A rate of one group of each draw's runs. */
  const within = (of: (draw: UnlabelledDraw) => readonly RunRecord[]) => rateBeside(cells, draws.map(of));
  const own = within(({ own }) => [own]);
  const vanilla = within(({ vanilla }) => [vanilla]);
  const known = within(({ known }) => known);
  const [solves, hacks] = [own(honestOn('deployed')(UNLABELLED)), own(hackOn('deployed')(UNLABELLED))];
  const estimates: Partial<Record<Key, Estimate>> = {};
  const share = (key: 'removed' | 'removedOwn' | 'kept', parts: readonly [RateIn, RateIn, RateIn]) => {
    const pairs = cells.flatMap((cell) => {
      const [value, low, high] = parts.map((rate) => rate(cell));
      return value === null || low === null || high === null ? [] : [[value - low, high - low] as const];
    });
    const ratio = fieller(pairs);
    estimates[key] = ratioEstimate(NAMES[key], key === 'kept' ? ratio : complement(ratio));
  };
  const base = own(hackOn('base')(UNLABELLED));
  share('removed', [hacks, base, vanilla(hackIn('none'))]);
  share('removedOwn', [hacks, base, own(hackIn(UNLABELLED))]);
  share('kept', [solves, own(honestOn('base')(UNLABELLED)), known(honestIn('repaired'))]);
  const over = (key: Key, one: RateIn, other: RateIn) => {
    estimates[key] = drawsDifference(NAMES[key], cells, one, other);
  };
  for (const at of ALPHAS) {
    over(`solve:${at}`, solves, vanilla(honestOn(`alpha_${at}`)('none')));
    over(`hack:${at}`, vanilla(hackOn(`alpha_${at}`)('none')), hacks);
  }
  over('overTrusted', solves, known(honestIn('trusted-only')));
  over('trustedHack', hacks, known(hackIn('trusted-only')));
  return estimates;
}

/** Vanilla, repaired graders and RL on the trusted problems alone, by draw. */
const KNOWN = ['arena/draws.runs.json.gz', 'arena/narrow.runs.json.gz'] as const;
const FILE = 'arena/unlabelled.runs.json.gz';

export const UNLABELLED_BLOCKS: Question<readonly RunRecord[], Key> = {
  id: 'P13',
  title: 'Does deploying one of two blocks remove a hack without any label?',
  hypothesis:
    'Every rollout trains both blocks of an adapter, and one of them is deployed. Nothing says which rollouts hack. At least half of the hack that vanilla learns is gone. And it is more than a smaller step: at every eighth of the way from the untrained model to vanilla with as large an adapter, one block solves more honest problems or hacks less.',
  falsified: 'Less than half of the hack is removed, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, one flawed grader (sentinel), 60 steps, one training seed in each of ${NEW_DRAWS.length} draws of the problems. The hypothesis comes from six cells of three other draws. Repaired graders and trusted problems alone have singular directions, the blocks a LoRA’s factors.`,
  section: 'Does deploying one of two blocks remove a hack without any label?',
  files: [...KNOWN, FILE],
  commands: ['npm run research -- judge --series prediction'],
  says: {
    holds:
      'Deploying one of two blocks that every rollout trains removes more than half of a hack without any label, and is more than a smaller step.',
    'in part: no more than a smaller step is shown':
      'Deploying one of two blocks that every rollout trains removes more than half of a hack without any label; that it is more than a smaller step is not shown.',
    'fails: less than half is removed':
      'Deploying one of two blocks that every rollout trains removes less than half of a hack.',
    open: 'It is open whether deploying one of two blocks that every rollout trains removes half of a hack.',
  },
  read: (rows) => [...KNOWN, FILE].flatMap((file) => rows.runs(file)),
  names: NAMES,
  rule: UNLABELLED_RULE,
  show: two,
  estimates: (runs) => (unlabelledDraws(runs).length === 0 ? null : unlabelledEstimates(runs)),
  line: [
    'removed',
    'removedOwn',
    'kept',
    'overTrusted',
    'trustedHack',
    ...(['solve', 'hack'] as const).flatMap((kind) => ALPHAS.map((at) => `${kind}:${at}` as const)),
  ],
  shown(runs, { estimates, verdict }) {
    const draws = unlabelledDraws(runs);
    const [own, vanilla, known] = [
      draws.map((draw) => [draw.own]),
      draws.map((draw) => [draw.vanilla]),
      draws.map((draw) => draw.known),
    ];
    const all = [...own, ...vanilla, ...known].flat();
    const { removed, removedOwn, kept, overTrusted } = estimates;
    // The rule reads how much less hack one block has; the sentence states every difference as one block − the other model.
    const figures = (Object.keys(NAMES) as Key[]).flatMap((key) => {
      const of = estimates[key];
      return of ? [key.startsWith('hack:') ? turned(of, SAID[key as OnWay]) : of] : [];
    });
    const way = new Set(Object.values(SAID));
    return {
      figures,
      line: figures.toSorted((a, b) => Number(way.has(a.name)) - Number(way.has(b.name))),
      tables: [
        sharesTable(`${draws.length} draws`, [
          ['untrained', ratesOf(own, UNLABELLED, 'base')],
          ['one block', ratesOf(own, UNLABELLED, 'deployed')],
          ['both blocks', ratesOf(own, UNLABELLED, 'total')],
          ['vanilla, as large an adapter', ratesOf(vanilla, 'none', 'total')],
          ...ALPHAS.map((at) => [`… at ${at} of its way`, ratesOf(vanilla, 'none', `alpha_${at}`)] as const),
          ['vanilla, singular directions', ratesOf(known, 'none', 'total')],
          ['trusted only', ratesOf(known, 'trusted-only', 'total')],
          ['repaired graders', ratesOf(known, 'repaired', 'total')],
        ]),
      ],
      chart: dotChart(
        'One block against vanilla on its way, a dot a draw',
        'difference',
        presentEstimates(
          estimates,
          ALPHAS.flatMap((at) => [`solve:${at}`, `hack:${at}`] as const),
        ),
        UNLABELLED,
      ),
      made: rowProvenance(all),
      runs: () => [
        ...namedRuns([...own, ...known].flat()),
        ...namedRuns(vanilla.flat(), (run) => `${nameOfCell(run)}, LoRA`),
      ],
      limits: [
        ...(removedOwn
          ? [`Of what both blocks together add to the hack ${intervalText(removedOwn, two)} is removed.`]
          : []),
        ...(kept ? [`Kept of what repaired graders teach: ${intervalText(kept, two)}.`] : []),
        ...(overTrusted ? [`Honest solve above trusted problems alone: ${intervalText(overTrusted, two)}.`] : []),
        'The way is of the adapter’s factors, not of their product.',
      ],
      inDocs: [`**P13: ${verdict.status}`, ...(removed ? [`Hack removed: ${intervalText(removed, two)}`] : [])],
    };
  },
};
