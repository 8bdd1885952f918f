// A number that a step logs: its field's schema, glossary entry and chart. The entries are in measures.ts.
import * as z from 'zod/mini';
import type { GlossaryEntry } from '../../lib/option.ts';
import type { RunSpec } from '../config/run-spec.ts';

// zod's own number refuses NaN, which a diverged run may have logged.
export const number = z.custom<number>((value) => typeof value === 'number', 'a number');
/** Null if not measured. */
export const measured = z.nullable(number);

export interface MeasureChart {
  group: 'overlaps' | 'rollouts' | 'optimization' | 'adapter';
  title: string;
  /** One line for someone who sees the chart for the first time. */
  about: string;
  /** `fixed`: three decimals; otherwise a share in percent, any other unit in three significant digits. */
  format?: 'fixed';
  /** Ticks from 0 to 1, as for shares; otherwise they fit the data. */
  ticks?: 'shares';
  /** Charts with the same word here share one value axis. */
  axis?: string;
  /** The measure whose value is drawn as the level of a random gradient. */
  nullLine?: 'cinNull';
  /** Order among its group's charts; those without one come first. */
  place?: number;
  /** Whether a run logs anything to draw; an occasional measure without this function applies to runs whose rows have it. */
  appliesTo?(spec: RunSpec): boolean;
}

/** A measure is also a glossary entry: title, meaning, formula, range, value without an effect, and what it does not show. */
export interface Measure<S> extends GlossaryEntry {
  schema: S;
  unit: 'share' | 'number' | 'tokens' | 'nats';
  better: 'lower' | 'higher' | 'neither';
  /** Absent for a measure that is only stored and exported. */
  chart?: MeasureChart;
}
/** A measure; by default a plain number with no better direction. */
export const measure = <S>(
  schema: S,
  info: Omit<Measure<S>, 'schema' | 'unit' | 'better'> & Partial<Pick<Measure<S>, 'unit' | 'better'>>,
): Measure<S> => ({ schema, unit: 'number', better: 'neither', ...info });

type Schemas<M> = { [K in keyof M]: M[K] extends Measure<infer S> ? S : never };
/** Fields of a row. */
export const schemasOf = <M extends Record<string, Measure<unknown>>>(measures: M): Schemas<M> =>
  Object.fromEntries(Object.entries(measures).map(([name, { schema }]) => [name, schema])) as Schemas<M>;
