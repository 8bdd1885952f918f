// The headline of an experiment on show, once it has a result.
import { headlineOf } from '../../experiments/reading/headline.ts';
import type { ExperimentView } from './view.ts';

export interface RunHeadline {
  text: string;
  /** Seeds of each run; one asks for more. */
  seeds: number;
}

export function runHeadline({ result, planned, spec }: ExperimentView): RunHeadline | null {
  const text = result && headlineOf(result.table, planned[0].environment);
  return text ? { text, seeds: spec.seeds.length } : null;
}
