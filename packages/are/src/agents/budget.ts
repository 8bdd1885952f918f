// Success within a budget: the share of an agent's runs that passed at no more than a cost. A failed run counts in the share whatever it
// cost; a run of unknown cost is left out.

export const COSTS = ['calls', 'tokens', 'seconds'] as const;
export type CostId = (typeof COSTS)[number];

/** A run's success, and its costs by name; null if unknown. */
type Costs<K extends string> = { readonly success: boolean } & { readonly [Name in K]: number | null };

export interface Cost extends Costs<CostId> {
  /** Calls of the model; for an agent without a model, its actions. */
  readonly calls: number;
  /** Tokens read and written; null without a model. */
  readonly tokens: number | null;
  /** Simulated seconds. */
  readonly seconds: number;
}

interface Budget {
  /** Runs whose cost is known. */
  readonly n: number;
  /** Points at which the share rises, with its value from there on: sorted by cost, one per cost. */
  readonly rises: readonly { readonly cost: number; readonly share: number }[];
}

export function budgetOf<K extends string>(runs: readonly Costs<K>[], id: K): Budget {
  const own = runs.filter((run) => run[id] !== null);
  const passed = own.flatMap((run) => (run.success ? [run[id] as number] : [])).sort((a, b) => a - b);
  const rises = passed.flatMap((cost, at) => (cost === passed[at + 1] ? [] : [{ cost, share: (at + 1) / own.length }]));
  return { n: own.length, rises };
}

/** The share of runs that passed at a cost of at most `most`. */
export const shareWithin = ({ rises }: Budget, most: number): number =>
  rises.findLast(({ cost }) => cost <= most)?.share ?? 0;

/** Round budgets (1, 2, 5, 10 …) for a table: the last one covers `most`, and there are at most `count`. */
export function roundBudgets(most: number, count: number): number[] {
  const found: number[] = [];
  for (let unit = 1; ; unit *= 10)
    for (const digit of [1, 2, 5]) {
      found.push(digit * unit);
      if (digit * unit < most) continue;
      return found.slice(-count);
    }
}
