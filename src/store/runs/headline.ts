// The headline of an experiment on show, once it has a result.
import { type HeadlineParts, headlineParts } from '../../experiments/analysis/headline.ts';
import type { ExperimentView } from '../experiment-view.ts';

export function runHeadline({ result, planned }: ExperimentView): HeadlineParts | null {
  return result && headlineParts(result.table, planned[0].environment);
}
