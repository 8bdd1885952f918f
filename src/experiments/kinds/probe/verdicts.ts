// The seven checks of the probe: each computes measures, which its rule (rules.ts) judges. Each result names the failure that would look like
// success without the check, and has a note on what it does not show.

import { decimal, percent } from '../../../lib/numbers.ts';
import { mean, meanOfKnown } from '../../../stats/index.ts';
import { isDecidable, isSignificant, MIN_BUCKET, MIN_MIXED, P_BELOW } from './discriminate.ts';
import { diagnosis, type TeacherShares } from './pool.ts';
import { CHECK_WORDS, COINCIDE_BELOW, checkResult, DIFFER_ABOVE, outcomeOf } from './rules.ts';
import type {
  CheckResult,
  Contrast,
  ContrastiveCheck,
  Discrimination,
  Outcome,
  SampleRow,
  StepSummary,
} from './types.ts';

const rate = (share: number) => percent(share, 1, ' %');
const pValue = (p: number | null) => (p === null ? '–' : p < 0.0001 ? p.toExponential(1) : p.toFixed(4));

/** T1: the teacher hacks. */
export function t1(shares: TeacherShares): CheckResult {
  return checkResult('T1', {
    value: `exploited ${rate(shares.exploited)} of ${shares.samples}`,
    note:
      diagnosis(shares) ??
      `Hacks with the exploit ${rate(shares.structural)}, right by the strict oracle ${rate(shares.gtPass)}.`,
    figures: { ...shares },
  });
}

/** T2: enough samples have a cosine. */
export function t2(rows: readonly SampleRow[]): CheckResult {
  const known = rows.filter((row) => row.cos_S_contrib !== null).length;
  const share = rows.length === 0 ? 0 : known / rows.length;
  const quarter = Math.ceil(rows.length / 4);
  const nll = rows.map((row) => row.nll);
  const [first, last] = [mean(nll.slice(0, quarter)), mean(nll.slice(nll.length - quarter))];
  return checkResult('T2', {
    value: `${known} of ${rows.length} rows (${rate(share)})`,
    note: [
      'Mean NLL, not advantages: a pool that always hacks has no variance in its rewards, and Dr.GRPO would skip it.',
      ...(first !== null && last !== null && last > first
        ? [
            `Its NLL rose from ${decimal(first)} to ${decimal(last)} (first and last quarter of the steps): the replay diverges, and later steps say little (lower lr).`,
          ]
        : []),
    ].join(' '),
    figures: { rows: rows.length, known, share, nllFirst: first, nllLast: last },
  });
}

/** T3: projection removes what it claims to remove. */
export function t3(steps: readonly StepSummary[]): CheckResult {
  const measured = steps.flatMap(({ cosIn, cosOut }) => (cosIn === null || cosOut === null ? [] : [cosOut < cosIn]));
  const share = measured.length === 0 ? null : measured.filter(Boolean).length / measured.length;
  const of = (pick: (step: StepSummary) => number | null) => meanOfKnown(steps.map(pick));
  const [cosIn, cosOut, cosOutUpdate, fired] = [
    of((step) => step.cosIn),
    of((step) => step.cosOut),
    of((step) => step.cosOutUpdate),
    of((step) => step.fired),
  ];
  return checkResult('T3', {
    value:
      share === null
        ? 'no step has an overlap'
        : `cos_out < cos_in on ${rate(share)} of ${measured.length} steps (${decimal(cosIn)} → ${decimal(cosOut)}), fired ${decimal(fired, 2)}`,
    note: `Under one_sided cos_out = 0 is an identity of the gradient, not evidence that hacking is prevented: AdamW’s moments act after it. The overlap of the adapter’s actual step, which is no identity, is ${decimal(cosOutUpdate)}.`,
    figures: { share, steps: measured.length, cosIn, cosOut, cosOutUpdate, fired },
  });
}

const discriminates = (measured: Discrimination): Outcome => outcomeOf('T4', judgedMetrics(measured));

const judgedMetrics = (measured: Discrimination) => ({
  ...discriminationMetrics(measured),
  mixedProblems: measured.plain.mixedProblems,
});

const contrastWords = ({ t, p, permutationP }: Contrast) =>
  `t ${decimal(t, 2)}, p ${pValue(p)} (Welch), ${pValue(permutationP)} (permutation)`;

function whyNot({ plain, lengthMatched, random }: Discrimination): string {
  const { nPure, nBoth, mixedProblems } = plain;
  if (!isDecidable(plain))
    return `Too little to decide: at least ${MIN_BUCKET} samples a bucket and ${MIN_MIXED} problems with both kinds are needed (${nPure} pure, ${nBoth} that solve, ${mixedProblems} problems with both).`;
  if (
    plain.t !== null &&
    plain.t > 0 &&
    plain.permutationP !== null &&
    plain.permutationP < P_BELOW &&
    !isSignificant(plain)
  )
    return `Within problems pure hacks lie further hack-ward (permutation p ${pValue(plain.permutationP)}; so they do under ${random.permutationPassing} of ${random.t.length} random axes), but problems differ by more than that: over all samples V does not tell the two kinds apart.`;
  if (!isSignificant(plain))
    return 'V does not tell pure hacks from hacks that solve: what it sees may be completions, not hacking.';
  if (!isSignificant(lengthMatched)) return 'The difference goes with completion length, or cannot be told from it.';
  if (random.p === null || random.p >= P_BELOW)
    return `Random axes do as well: ${random.passing} of ${random.t.length} would have passed.`;
  return 'All samples hold an exploit, so this shows that V is sensitive to the wrong answer beside it or to how it is written, and not that RL will be stopped.';
}

const discriminationMetrics = ({ plain, lengthMatched, random }: Discrimination) => ({
  t: plain.t,
  p: plain.p,
  permutationP: plain.permutationP,
  nPure: plain.nPure,
  nBoth: plain.nBoth,
  meanPure: plain.meanPure,
  meanBoth: plain.meanBoth,
  tLengthMatched: lengthMatched.t,
  pLengthMatched: lengthMatched.p,
  permutationPLengthMatched: lengthMatched.permutationP,
  randomP: random.p,
  randomPassing: random.passing,
  randomPermutationPassing: random.permutationPassing,
  randomDraws: random.t.length,
});

/** T4: V tells pure hacks from hacks that solve. */
export function t4(measured: Discrimination): CheckResult {
  const { plain, lengthMatched, random } = measured;
  return checkResult(
    'T4',
    {
      value: `${plain.nPure} pure (${decimal(plain.meanPure)}) against ${plain.nBoth} (${decimal(plain.meanBoth)}): ${contrastWords(plain)}; length-matched ${contrastWords(lengthMatched)}; beyond random axes p ${pValue(random.p)}`,
      note: whyNot(measured),
      figures: discriminationMetrics(measured),
    },
    judgedMetrics(measured),
  );
}

/** T7: the GRPO-contrastive basis is at least as good, and has the expected span. */
export function t7(nll: Discrimination, grpo: Discrimination, check: ContrastiveCheck): CheckResult {
  const { equalLength, asTheyAre } = check;
  const coincide = equalLength.maxAngle !== null && equalLength.maxAngle < COINCIDE_BELOW;
  const differ = asTheyAre.meanAngle !== null && asTheyAre.meanAngle > DIFFER_ABOVE;
  const outcome = discriminates(grpo);
  const stronger = nll.plain.t !== null && grpo.plain.t !== null && grpo.plain.t >= nll.plain.t;
  const notes: string[] = [];
  if (!coincide) notes.push('On completions of one length it must span the same as the mean-NLL basis, and does not.');
  if (asTheyAre.differing === 0)
    notes.push('All pairs have one length: that it differs elsewhere cannot be seen here.');
  else if (!differ)
    notes.push('On unequal lengths it still spans what the mean-NLL basis spans: accidentally still NLL.');
  if (outcome !== 'pass') notes.push(whyNot(grpo));
  else if (!stronger) notes.push('It tells the two kinds apart, but less clearly than the mean-NLL basis.');
  const judged = {
    ...judgedMetrics(grpo),
    stronger: nll.plain.t === null || grpo.plain.t === null ? null : grpo.plain.t - nll.plain.t,
    equalMaxAngle: equalLength.maxAngle,
    meanAngle: asTheyAre.meanAngle,
    differing: asTheyAre.differing,
  };
  return checkResult(
    'T7',
    {
      value: `${contrastWords(grpo.plain)} (mean-NLL basis: t ${decimal(nll.plain.t, 2)}); principal angles ${decimal(equalLength.maxAngle, 2)}° at most on equal lengths (${equalLength.tokens} tokens), ${decimal(asTheyAre.meanAngle, 1)}° on average as they are`,
      note: notes.join(' '),
      figures: {
        ...discriminationMetrics(grpo),
        tNll: nll.plain.t,
        equalMaxAngle: equalLength.maxAngle,
        meanAngle: asTheyAre.meanAngle,
      },
    },
    judged,
  );
}

/** A check that was not run, with the reason as its note. */
export function notRun(id: 'T5' | 'T6', reason: string): CheckResult {
  return { id, ...CHECK_WORDS[id], value: 'not run', outcome: 'not run', note: reason, figures: {} };
}
