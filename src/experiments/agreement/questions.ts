// The questions of docs/cat.md as data: what was thought, what would have shown it wrong, and the rule of the verdict, as they stood
// before the rows that they are judged by. The rules themselves are the functions of this folder.

/** What a question is answered from. */
export type RowsOf = 'inference' | 'training' | 'judged' | 'projected' | 'variants';

export interface CatQuestion {
  id: string;
  of: RowsOf;
  title: string;
  hypothesis: string;
  falsified: string;
  rule: string;
}

const question = (
  id: string,
  of: RowsOf,
  title: string,
  hypothesis: string,
  falsified: string,
  rule: string,
): CatQuestion => ({ id, of, title, hypothesis, falsified, rule });

const ROUTED =
  'holds: the intervals of (deployed − whole) and of (deployed − as many random directions, random directions that remove as much, random words) lie below 0, and more than half of the whole model’s gain is kept (interval above 0). in part: without the last. fails: one of the first lies above 0. open: else.';
const ERASED = 'As the one before, against the whole model of the same seed and against erasing random directions.';

export const CAT_QUESTIONS: readonly CatQuestion[] = [
  question(
    'C1',
    'inference',
    'Does synthesis beat selection at inference?',
    'On held-out templates at G = 8, blind synthesis is right more often than majority, minimum perplexity, the self-chosen attempt and a single rollout, by 20 points each; where all attempts agree it loses at most 2 points to majority.',
    'A difference at or below 0.',
    'holds: every mean difference ≥ .20, every lower end > 0, and the loss where all agree ≤ .02. in part: every lower end > 0. fails: else.',
  ),
  question(
    'C2',
    'training',
    'Does the trained policy beat its first teacher?',
    'After 30 steps the policy of CaT solves more of the held-out problems, with one attempt each, than its first teacher’s references are right on the same problems.',
    'The policy below its teacher.',
    'holds: the interval of (solve − teacher) lies above 0. fails: below. open: else.',
  ),
  question(
    'C3',
    'inference',
    'Does it matter that the question is not shown?',
    'Showing the question changes little at G = 8.',
    'A difference beyond 5 points either way.',
    'holds: the interval of (shown − blind) lies within ± .05. fails: it lies wholly outside. open: else.',
  ),
  question(
    'C4',
    'inference',
    'Do more attempts help synthesis?',
    'G = 8 beats G = 1 by 5 points on held-out templates.',
    'A difference at or below 0.',
    'holds: mean ≥ .05 and lower end > 0. in part: lower end > 0. fails: else.',
  ),
  question(
    'C5',
    'inference',
    'Does it hold on held-out templates?',
    'The gain over majority at G = 8 is at least half of what it is on unseen parameters.',
    'A gain on held-out templates at or below 0, or below half.',
    'holds: both, lower end > 0. fails: else.',
  ),
  question(
    'C6a',
    'judged',
    'Rubric against judge',
    'A policy paid by a rubric from the synthesis ends truer than one paid by a grade without rubric, by a rubric from the question alone, by a fixed rubric.',
    'Rubric − grade below 0.',
    'holds: all three intervals above 0. in part: that against the grade above 0. fails: that against the grade below 0. open: else.',
  ),
  question(
    'C6b',
    'judged',
    'Is a judge that can be flattered hacked?',
    'Judged minus true score rises by more than under a strict judge, and the final true score is lower.',
    'The gap rises less, or the truth is higher.',
    'holds: both intervals on these sides. fails: one wholly on the other. open: else.',
  ),
  question(
    'C6c',
    'judged',
    'Is a budget of tokens a remedy?',
    'It is none: flattery is five words.',
    'A difference in final true score beyond 5 points.',
    'holds: the interval of (with − without) within ± .05. fails: wholly outside. open: else.',
  ),
  question(
    'C7',
    'training',
    'A wrong teacher: reward up, truth down?',
    'Under the majority’s reward, of problems whose majority is mostly wrong, solve falls below the base’s while the reward rises.',
    'Solve of these problems rises, or the reward does not.',
    'holds: both intervals exclude 0 with these signs. fails: one lies wholly on the other side. open: else.',
  ),
  question(
    'C8a',
    'projected',
    'Flattery routed away: does the deployed model keep the gain?',
    'Without the quarantine of a direction from 24 pairs of flattery the policy of a hasty judge flatters less and keeps more than half of what it gained in true score.',
    'Flattery not below the whole model’s, or less than half of the gain kept.',
    ROUTED,
  ),
  question(
    'C8b',
    'projected',
    'Flattery erased while training',
    'Erased from the gradient, the same direction leaves a policy that flatters less and gains no less.',
    'As before.',
    ERASED,
  ),
  question(
    'C8c',
    'projected',
    'The majority’s misconception routed away',
    'Without the quarantine of a direction from 24 pairs of the misconception the policy of the majority’s reward has it less often and keeps more than half of what it gained in solve.',
    'The misconception not below the whole model’s, or less than half of the gain kept.',
    ROUTED,
  ),
  question(
    'C8d',
    'projected',
    'The misconception erased while training',
    'Erased from the gradient, the same direction leaves a policy that has it less often and gains no less.',
    'As before.',
    ERASED,
  ),
  question(
    'C8e',
    'projected',
    'What routing costs where nothing is to be taken',
    'Under CaT, whose references are mostly right there, the deployed model solves within 3 points of the whole one.',
    'It solves more than 3 points less.',
    'holds: the interval of (deployed − whole) in solve lies above −.03. fails: wholly below. open: else.',
  ),
  question(
    'C9',
    'variants',
    'Larger groups in training, at equal rollouts',
    'With 64 rollouts a step, groups of eight end truer than groups of two; sixteen are no better than eight.',
    'Groups of two end truer.',
    'holds: the interval of (G 8 − G 2) in solve lies above 0. fails: below. open: else. Other steps are told beside it.',
  ),
  question(
    'C10',
    'variants',
    'A pull towards the anchor',
    'It costs what is learnt: solve ends lower than without.',
    'Solve ends higher.',
    'holds: the interval of (with − without), of the strongest pull, lies below 0. fails: above. open: else.',
  ),
  question(
    'C11',
    'variants',
    'Finetuning on references instead of paying for agreement',
    'In as many steps it ends lower: it learns from one text a group, and from the wrong ones as from the right ones.',
    'It ends higher.',
    'holds: the interval of (finetuned − paid) in solve lies below 0. fails: above. open: else.',
  ),
  question(
    'C12',
    'inference',
    'Mutual predictability',
    'On held-out templates at G = 8, the attempt that the others make likeliest is right more often than the majority and less often than the self-chosen attempt.',
    'The difference to the majority at or below 0.',
    'holds: both intervals on these sides of 0. in part: the first. fails: the first at or below 0.',
  ),
];
