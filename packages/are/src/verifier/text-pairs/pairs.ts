// Labelled pairs of texts, and the error rate of a judge of texts on each class. The corpus is written by hand, and its held-out part by
// the same author.
import { settled } from '../../pending.ts';
import { TOOL_CHECKERS } from '../registry.ts';
import { type SoftEngine, softlyEqual } from '../soft.ts';
import { HELD_OUT } from './held-out.ts';
import { isAcceptable, PAIR_CLASSES, type PairClass, type PairItem, type PairText, TOOLS } from './item.ts';
import { TUNED } from './tuned.ts';

/** The strict judge was tuned on the first part. */
export const PAIR_PART_NAMES = ['tuned', 'held out'] as const;
type PairPart = (typeof PAIR_PART_NAMES)[number];
const PAIR_PARTS: Readonly<Record<PairPart, readonly PairItem[]>> = { tuned: TUNED, 'held out': HELD_OUT };
const USER = { name: 'Sam Doe', address: '12 Mill Lane, Leeds' };
/** Tuesday, 2024-10-15. */
const TODAY = 1_728_975_600;

const argsOf = (said: PairText): Readonly<Record<string, string>> =>
  typeof said === 'string' ? { content: said } : said;

/** Judges a pair as the verifier judges the texts of a call; waits for a model. */
export function acceptsPair(engine: SoftEngine, item: PairItem, kind: PairClass): Promise<boolean> {
  const [wanted, given] = [argsOf(item.oracle), argsOf(item[kind])];
  const toolName = TOOLS[item.tool];
  const context = {
    toolName,
    engine,
    user: USER,
    tasks: [item.task],
    oracleTime: TODAY,
    args: Object.keys(wanted),
    checkers: TOOL_CHECKERS.get(toolName)?.soft ?? [],
  };
  return settled(() => softlyEqual(given, wanted, context));
}

export interface PairRate {
  readonly part: PairPart;
  readonly kind: PairClass;
  readonly n: number;
  /** Number of false accepts, or for texts with the same meaning of false rejects. */
  readonly wrong: number;
}

interface PairListeners {
  onWrong?(item: PairItem, kind: PairClass, part: PairPart): void;
  onJudged?(done: number, total: number): void;
}

export async function pairRates(
  engine: SoftEngine,
  parts: readonly PairPart[] = PAIR_PART_NAMES,
  listeners: PairListeners = {},
): Promise<PairRate[]> {
  const rates: PairRate[] = [];
  const total = parts.reduce((sum, part) => sum + PAIR_PARTS[part].length, 0) * PAIR_CLASSES.length;
  let done = 0;
  for (const part of parts) {
    const items = PAIR_PARTS[part];
    for (const kind of PAIR_CLASSES) {
      let wrong = 0;
      for (const item of items) {
        if ((await acceptsPair(engine, item, kind)) !== isAcceptable(kind)) {
          wrong++;
          listeners.onWrong?.(item, kind, part);
        }
        listeners.onJudged?.(++done, total);
      }
      rates.push({ part, kind, n: items.length, wrong });
    }
  }
  return rates;
}
