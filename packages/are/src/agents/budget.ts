// Success within a budget: of an agent's runs, the share that had passed when they had cost so much. A run that failed counts, at any
// cost; one whose cost is not known counts for nothing.

export const COSTS = ['calls', 'tokens', 'seconds'] as const;
export type CostId = (typeof COSTS)[number];

/** A run's success and costs, by the names of costs; null where one is not known. */
type Costs<K extends string> = { readonly success: boolean } & { readonly [Name in K]: number | null };

export interface Cost extends Costs<CostId> {
  /** Questions to the model; of an agent without one, its actions. */
  readonly calls: number;
  /** Tokens read and written; null without a model. */
  readonly tokens: number | null;
  /** Simulated seconds. */
  readonly seconds: number;
}

interface Budget {
  /** Runs whose cost is known. */
  readonly n: number;
  /** Points at which the share rises, and its value there; by cost, each cost once. */
  readonly rises: readonly { readonly cost: number; readonly share: number }[];
}

export function budgetOf<K extends string>(runs: readonly Costs<K>[], id: K): Budget {
  const own = runs.filter((run) => run[id] !== null);
  const passed = own.flatMap((run) => (run.success ? [run[id] as number] : [])).sort((a, b) => a - b);
  const rises = passed.flatMap((cost, at) => (cost === passed[at + 1] ? [] : [{ cost, share: (at + 1) / own.length }]));
  return { n: own.length, rises };
}

/** The share that has passed within `most`. */
export const shareWithin = ({ rises }: Budget, most: number): number =>
  rises.findLast(({ cost }) => cost <= most)?.share ?? 0;

/** Round budgets (1, 2, 5, 10 …) for a table: the last is enough for `most`, and no more than `count` of them. */
export function roundBudgets(most: number, count: number): number[] {
  const found: number[] = [];
  for (let unit = 1; ; unit *= 10)
    for (const digit of [1, 2, 5]) {
      found.push(digit * unit);
      if (digit * unit < most) continue;
      return found.slice(-count);
    }
}
