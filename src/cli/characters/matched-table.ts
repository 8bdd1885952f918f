// Documents and RL of a dial at equal tokens, and at equal drift of others, beside the same effect on A: changes, not ratios, since
// the effect on A differs there.
import {
  differenceOf,
  MATCHES,
  type MatchedPair,
  type MatchId,
  matched,
  READ,
} from '../../experiments/characters/matched.ts';
import type { CurveRow } from '../../experiments/characters/rows.ts';
import { two } from '../../lib/numbers.ts';
import { renderTable } from '../table.ts';
import { over } from './over.ts';

const TITLES: Readonly<Record<MatchId, string>> = {
  tokens: 'At equal tokens (the fewer of the two arms’ on a character)',
  drift: 'At equal drift of others’ picking (the smaller of the two arms’ on a character)',
};

/** Empty where no character has both arms. */
export function matchedTables(rows: readonly CurveRow[]): string[] {
  return MATCHES.flatMap((by) => {
    const { pairs, left } = matched(rows, ['sdf', 'none'], by);
    if (pairs.length + left.length === 0) return [];
    const line = (arm: string, of: (pair: MatchedPair) => MatchedPair['one']) => [
      ...[arm, String(pairs.length), over(pairs.map((pair) => of(pair).effect))],
      ...READ.map((group) => over(pairs.flatMap((pair) => of(pair).logit[group] ?? []))),
    ];
    const titles = ['arm', 'n', 'ΔP of A', ...READ.map((group) => `Δlogit of ${group === 'a' ? 'A' : group}`)];
    const differences = READ.map((group) => {
      const paired = differenceOf(pairs, group);
      const said = paired && `${two(paired.mean)} [${two(paired.interval.low)} ${two(paired.interval.high)}]`;
      return `${group === 'a' ? 'A' : group} ${said ?? '–'}`;
    });
    return [
      '',
      `${TITLES[by]}: mean ± sd; no rule was made for it`,
      renderTable(
        titles.map((title, i) => ({ title, right: i > 0 })),
        [line('sdf', ({ one }) => one), line('none', ({ other }) => other)],
      ),
      `none − sdf in Δlogit, n ${pairs.length}: ${differences.join('; ')}`,
      ...(left.length > 0 ? [`Left out, since an arm has not drifted: ${left.join(', ')}.`] : []),
    ];
  });
}
