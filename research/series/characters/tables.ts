// Rows of `characters` with the verdicts of its questions (docs/lab-book/characters.md), and both arms at equal tokens and at equal drift.
import { characterTables } from '../../../src/cli/characters/tables.ts';
import { textTable } from '../../../src/cli/table.ts';
import { type CurveRow, isPlain } from '../../../src/experiments/characters/rows.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import type { Column } from '../../../src/experiments/judge/table.ts';
import { two } from '../../../src/lib/numbers.ts';
import { answersText } from '../../judge/answer-text.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { s1 } from './documents.ts';
import { ON_OWN_BASE } from './later.ts';
import { differenceOf, MATCHES, type MatchId, matched, READ } from './matched.ts';
import { S1 } from './rules.ts';

/** The lab's own tables of the rows, and the questions' answers. @param effect ΔP of A at which leakage is measured */
export function characterAnswers(rows: readonly CurveRow[], effect: number): string {
  const { estimates } = s1(rows, effect);
  const { near, far, other } = estimates;
  return [
    characterTables(rows, effect),
    '',
    `S1, RL − SDF at the same effect: ${verdictText(judge(S1.rule, estimates))}`,
    ...[near, far, other].map((one) => {
      const each = one.each.map(({ of, value }) => `${of} ${two(value)}`).join(', ');
      const group = one.name.replace('RL − SDF, ', '');
      return one.interval
        ? `  ${group}: ${intervalText(one, two)}, n ${one.n} (${each})`
        : `  ${group}: ${one.n} pairs`;
    }),
    ...matchedTables(rows),
    ...questionsOf(rows),
  ].join('\n');
}

/** S2 … S12, for the rows that belong to them; at the effect of their rules, whatever `effect` was requested. */
function questionsOf(rows: readonly CurveRow[]): string[] {
  if (!rows.some(({ asked, after, replay, curve }) => asked || after || replay || curve[0].gates)) return [];
  const answered = ON_OWN_BASE.filter((question) => !judgeQuestion(question, rows)?.verdict.because?.startsWith('0 '));
  return ['', ...answersText(answered, rows)];
}

const TITLES: Readonly<Record<MatchId, string>> = {
  tokens: 'At equal tokens (the fewer of the two arms’ on a character)',
  drift: 'At equal drift of others’ picking (the smaller of the two arms’ on a character)',
};

/** Empty if no character has both arms. */
function matchedTables(rows: readonly CurveRow[]): string[] {
  return MATCHES.flatMap((by) => {
    const { pairs, left } = matched(rows.filter(isPlain), ['sdf', 'none'], by);
    if (pairs.length + left.length === 0) return [];
    const arms = [
      { arm: 'sdf', own: pairs.map(({ one }) => one) },
      { arm: 'none', own: pairs.map(({ other }) => other) },
    ];
    const differences = READ.map((group) => {
      const paired = differenceOf(pairs, group);
      return `${group === 'a' ? 'A' : group} ${paired ? intervalText(paired, two) : '–'}`;
    });
    return [
      '',
      `${TITLES[by]}: mean ± sd; no rule was made for it`,
      textTable(
        arms,
        [
          ['arm', ({ arm }) => arm],
          ['n', ({ own }) => String(own.length)],
          ['ΔP of A', ({ own }) => own.map(({ effect }) => effect)],
          ...READ.map(
            (group): Column<(typeof arms)[number]> => [
              `Δlogit of ${group === 'a' ? 'A' : group}`,
              ({ own }) => own.map(({ logit }) => logit[group]),
            ],
          ),
        ],
        two,
      ),
      `none − sdf in Δlogit, n ${pairs.length}: ${differences.join('; ')}`,
      ...(left.length > 0 ? [`Left out, since an arm has not drifted: ${left.join(', ')}.`] : []),
    ];
  });
}
