// The questions of docs/lab-book/cat.md as data: what was thought, what would have shown it wrong, what is computed, and the rule of the verdict,
// as they stood before the rows that they are judged by. The estimates are the functions of this folder; words and judge of a rule are
// made of it (judge/rule.ts).
import type { Spread } from '../judge/estimates.ts';
import { above, below, beyond, type Judgeable, judge, ofValues, type Rule } from '../judge/rule.ts';
import type { Status } from '../judge/types.ts';

/** What a question is answered from. */
export type RowsOf = 'inference' | 'training' | 'judged' | 'projected' | 'variants';

export interface CatQuestion<Key extends string = string> {
  id: string;
  of: RowsOf;
  title: string;
  hypothesis: string;
  falsified: string;
  /** What the rule asks of, as it is called. */
  names: Readonly<Record<Key, string>>;
  rule: Rule<Key>;
}

/** What runs answer, over seeds. */
export interface RunsVerdict {
  question: string;
  verdict: Status;
  figures: readonly Spread[];
}

/** By the question's rule on its estimates, which are told in this order. */
export function by<Key extends string>(
  { id, rule }: Pick<CatQuestion<Key>, 'id' | 'rule'>,
  estimates: Readonly<Record<Key, Spread>>,
): RunsVerdict {
  const figures = Object.values<Spread>(estimates);
  const judged = Object.fromEntries(Object.entries<Spread>(estimates).map(([key, one]) => [key, ofValues(one)]));
  return { question: id, verdict: judge(rule, judged as { [K in Key]: Judgeable }).status, figures };
}

/** Bounds of the rules that other words need too. */
export const BOUNDS = {
  /** C1: beyond every way of choosing; and what is lost where all agree. */
  selection: 0.2,
  unanimous: -0.02,
  /** C3, C6c: a difference within this is none. */
  same: 0.05,
  /** C4. */
  attempts: 0.05,
  /** C5: of the gain on unseen parameters. */
  carried: 0.5,
  /** C8e: what routing may cost. */
  cost: 0.03,
} as const;

const SELECTION = ['majority', 'min_perplexity', 'self_bon', 'single'] as const;
const above0 = SELECTION.map((key) => above(key));

export const C1: CatQuestion<(typeof SELECTION)[number] | 'unanimous'> = {
  ...{ id: 'C1', of: 'inference', title: 'Does synthesis beat selection, without any training?' },
  hypothesis:
    'On held-out templates at G = 8, blind synthesis is right more often than majority, minimum perplexity, the self-chosen attempt and a single rollout, by 20 points each; where all attempts agree it loses at most 2 points to majority.',
  falsified: 'A difference at or below 0.',
  names: {
    majority: 'synthesis − majority',
    min_perplexity: 'synthesis − minimum perplexity',
    self_bon: 'synthesis − self-chosen attempt',
    single: 'synthesis − one rollout',
    unanimous: 'synthesis − majority where all agree',
  },
  rule: {
    optional: [...SELECTION, 'unanimous'],
    cases: [
      {
        status: 'holds',
        when: {
          all: [
            ...SELECTION.map((key) => ({ mean: key, atLeast: BOUNDS.selection })),
            ...above0,
            { mean: 'unanimous', atLeast: BOUNDS.unanimous },
          ],
        },
      },
      { status: 'in part', when: { all: above0 } },
      { status: 'fails' },
    ],
  },
};

export const C2: CatQuestion<'beyond'> = {
  ...{ id: 'C2', of: 'training', title: 'Does the trained policy beat its first teacher?' },
  hypothesis:
    'After 30 steps the policy of CaT solves more of the held-out problems, at temperature 1 and with one attempt each, than its first teacher’s references are right on the same problems (synthesis of eight attempts of the untrained model).',
  falsified: 'The policy below its teacher.',
  names: { beyond: 'solve − first teacher' },
  rule: {
    cases: [{ status: 'holds', when: above('beyond') }, { status: 'fails', when: below('beyond') }, { status: 'open' }],
  },
};

export const C3: CatQuestion<'shown'> = {
  ...{ id: 'C3', of: 'inference', title: 'Does it matter that the synthesiser does not see the question?' },
  hypothesis: 'Showing the question changes little at G = 8.',
  falsified: 'A difference beyond 5 points either way.',
  names: { shown: 'shown − blind' },
  rule: {
    cases: [
      { status: 'holds', when: { within: 'shown', margin: BOUNDS.same } },
      { status: 'fails', when: beyond('shown', BOUNDS.same) },
      { status: 'open' },
    ],
  },
};

export const C4: CatQuestion<'more'> = {
  ...{ id: 'C4', of: 'inference', title: 'Do more attempts help synthesis?' },
  hypothesis:
    'G = 8 beats G = 1 by 5 points on held-out templates. Most of that is on “reading”, where only attempts that differ show that something was misread.',
  falsified: 'A difference at or below 0.',
  names: { more: 'G 8 − G 1' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [{ mean: 'more', atLeast: BOUNDS.attempts }, above('more')] } },
      { status: 'in part', when: above('more') },
      { status: 'fails' },
    ],
  },
};

export const C5: CatQuestion<'held' | 'half'> = {
  ...{ id: 'C5', of: 'inference', title: 'Does the gain over a majority carry over to held-out templates?' },
  hypothesis:
    'The gain over majority at G = 8 carries over to held-out templates: it is at least half of what it is on unseen parameters.',
  falsified: 'A gain on held-out templates at or below 0, or below half.',
  names: { held: 'gain, held-out templates', half: 'the same less half of the gain on unseen parameters' },
  rule: {
    cases: [{ status: 'holds', when: { all: [above('held'), { mean: 'half', atLeast: 0 }] } }, { status: 'fails' }],
  },
};

export const C6A: CatQuestion<'judge' | 'rubric_question' | 'rubric_fixed'> = {
  ...{ id: 'C6a', of: 'judged', title: 'Is a policy truer that is paid by a rubric of the synthesis?' },
  hypothesis:
    'A policy paid by a rubric from the synthesis ends truer than one paid by a grade without rubric, by a rubric from the question alone, by a fixed rubric. The same of plain functions alone, where no knowledge of edges is planted.',
  falsified: '“rubric” − “judge” below 0.',
  names: {
    judge: 'true score, rubric − a grade',
    rubric_question: 'true score, rubric − a rubric of the question',
    rubric_fixed: 'true score, rubric − a fixed rubric',
  },
  rule: {
    cases: [
      { status: 'holds', when: { all: [above('judge'), above('rubric_question'), above('rubric_fixed')] } },
      { status: 'in part', when: above('judge') },
      { status: 'fails', when: below('judge') },
      { status: 'open' },
    ],
  },
};

export const C6B: CatQuestion<'gap' | 'truth'> = {
  ...{ id: 'C6b', of: 'judged', title: 'Does a policy learn to please a judge that can be flattered?' },
  hypothesis:
    'Judged minus true score rises from the first ten steps to the last ten by more under a judge that can be flattered (“hasty”) than under “rubric”, and the final true score is below its.',
  falsified: 'The gap rises less, or the truth is higher.',
  names: { gap: 'rise of the gap, hasty − rubric', truth: 'true score, hasty − rubric' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [above('gap'), below('truth')] } },
      { status: 'fails', when: { any: [below('gap'), above('truth')] } },
      { status: 'open' },
    ],
  },
};

export const C6C: CatQuestion<'budget'> = {
  ...{ id: 'C6c', of: 'judged', title: 'Is a budget of tokens a remedy against flattery?' },
  hypothesis:
    'It is none: −1 for answers above 36 tokens changes the final true score little, since flattery is five words.',
  falsified: 'A difference in final true score beyond 5 points.',
  names: { budget: 'true score, with a budget − without' },
  rule: {
    cases: [
      { status: 'holds', when: { within: 'budget', margin: BOUNDS.same } },
      { status: 'fails', when: beyond('budget', BOUNDS.same) },
      { status: 'open' },
    ],
  },
};

export const C7: CatQuestion<'reward' | 'truth'> = {
  ...{ id: 'C7', of: 'training', title: 'What does a wrong teacher do: reward up, truth down?' },
  hypothesis:
    'Under TTRL, of problems of the kind “fact” (whose majority is mostly wrong), solve falls below the base’s while the reward rises from the first ten steps to the last ten. Null: CaT and the oracle, whose teachers are right there: solve of “fact” must not fall.',
  falsified: 'Solve of “fact” rises under TTRL, or the reward does not.',
  names: { reward: 'reward, last − first steps', truth: 'solve of facts, trained − base' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [above('reward'), below('truth')] } },
      { status: 'fails', when: { any: [below('reward'), above('truth')] } },
      { status: 'open' },
    ],
  },
};

/** C8: of a model that something was taken from, against the whole one and against controls. */
const projected = <Key extends string>(
  words: Pick<CatQuestion, 'id' | 'title' | 'hypothesis' | 'falsified'>,
  hack: string,
  controls: Readonly<Record<Key, string>>,
): CatQuestion<Key | 'taken' | 'kept'> => {
  const less = ['taken', ...(Object.keys(controls) as Key[])] as const;
  return {
    ...{ ...words, of: 'projected' },
    names: {
      taken: `${hack} − whole`,
      ...controls,
      kept: 'gain kept, beyond half of the whole model’s',
    } as Record<Key | 'taken' | 'kept', string>,
    rule: {
      cases: [
        { status: 'holds', when: { all: [...less.map((key) => below(key)), above('kept')] } },
        { status: 'in part', when: { all: less.map((key) => below(key)) } },
        { status: 'fails', when: { any: less.map((key) => above(key)) } },
        { status: 'open' },
      ],
    },
  };
};
const routed = (hack: string) => ({
  random_V: `${hack}, deployed − random directions`,
  random_V_matched: `${hack}, deployed − random directions that remove as much`,
  placebo_V: `${hack}, deployed − random words`,
});
const erased = (hack: string) => ({ total: `${hack}, erased − random directions erased` });

export const C8 = [
  projected(
    {
      ...{ id: 'C8a', title: 'Flattery routed away: does the deployed model keep the gain?' },
      hypothesis:
        'Without the quarantine of a direction from 24 pairs of flattery the policy of a hasty judge flatters less and keeps more than half of what it gained in true score.',
      falsified: 'Flattery not below the whole model’s, or less than half of the gain kept.',
    },
    'flattery, deployed',
    routed('flattery'),
  ),
  projected(
    {
      ...{ id: 'C8b', title: 'Flattery erased while training', falsified: 'As before.' },
      hypothesis: 'Erased from the gradient, the same direction leaves a policy that flatters less and gains no less.',
    },
    'flattery, erased',
    erased('flattery'),
  ),
  projected(
    {
      ...{ id: 'C8c', title: 'The majority’s misconception routed away' },
      hypothesis:
        'Without the quarantine of a direction from 24 pairs of the misconception the policy of the majority’s reward has it less often and keeps more than half of what it gained in solve.',
      falsified: 'The misconception not below the whole model’s, or less than half of the gain kept.',
    },
    'misconception, deployed',
    routed('misconception'),
  ),
  projected(
    {
      ...{ id: 'C8d', title: 'The misconception erased while training', falsified: 'As before.' },
      hypothesis:
        'Erased from the gradient, the same direction leaves a policy that has it less often and gains no less.',
    },
    'misconception, erased',
    erased('misconception'),
  ),
] as const;

export const C8E: CatQuestion<'cost'> = {
  ...{ id: 'C8e', of: 'projected', title: 'What routing costs where nothing is to be taken' },
  hypothesis:
    'Under CaT, whose references are mostly right there, the deployed model solves within 3 points of the whole one.',
  falsified: 'It solves more than 3 points less.',
  names: { cost: 'solve, deployed − whole' },
  rule: {
    cases: [
      { status: 'holds', when: above('cost', -BOUNDS.cost) },
      { status: 'fails', when: below('cost', -BOUNDS.cost) },
      { status: 'open' },
    ],
  },
};

/** C9 to C11: a variant of the training against another, on the side of 0 that is expected. */
const variant = (
  words: Pick<CatQuestion, 'id' | 'title' | 'hypothesis' | 'falsified'>,
  name: string,
  expected: 'above' | 'below',
): CatQuestion<'first'> => ({
  ...{ ...words, of: 'variants', names: { first: name } },
  rule: {
    cases: [
      { status: 'holds', when: expected === 'above' ? above('first') : below('first') },
      { status: 'fails', when: expected === 'above' ? below('first') : above('first') },
      { status: 'open' },
    ],
  },
});

export const VARIANTS = [
  variant(
    {
      ...{ id: 'C9', title: 'Larger groups in training, at equal rollouts', falsified: 'Groups of two end truer.' },
      hypothesis:
        'With 64 rollouts a step, groups of eight end truer than groups of two; sixteen are no better than eight.',
    },
    'solve, G 8 − G 2',
    'above',
  ),
  variant(
    {
      ...{ id: 'C10', title: 'A pull towards the anchor', falsified: 'Solve ends higher.' },
      hypothesis: 'It costs what is learnt: solve ends lower than without.',
    },
    'solve, with the strongest pull − without',
    'below',
  ),
  variant(
    {
      ...{ id: 'C11', title: 'Finetuning on references instead of paying for agreement', falsified: 'It ends higher.' },
      hypothesis:
        'In as many steps it ends lower: it learns from one text a group, and from the wrong ones as from the right ones.',
    },
    'solve, finetuned − paid',
    'below',
  ),
] as const;

export const C12: CatQuestion<'more' | 'less'> = {
  ...{ id: 'C12', of: 'inference', title: 'Mutual predictability' },
  hypothesis:
    'On held-out templates at G = 8, the attempt that the others make likeliest is right more often than the majority and less often than the self-chosen attempt.',
  falsified: 'The difference to the majority at or below 0.',
  names: { more: 'mutual predictability − majority', less: 'mutual predictability − self-chosen' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [above('more'), below('less')] } },
      { status: 'in part', when: above('more') },
      { status: 'fails' },
    ],
  },
};

export const CAT_QUESTIONS = [
  ...[C1, C2, C3, C4, C5, C6A, C6B, C6C, C7],
  ...C8,
  C8E,
  ...VARIANTS,
  C12,
] as const satisfies readonly { id: string; rule: { cases: readonly object[] } }[];
