// A sweep as data: the options that its runs share, the options that vary (axes), seeds, the search over configurations, and the metric that
// ranks them. A sweep's file, its editor schema and its plan (plan.ts) follow from this.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText, repeatedMember } from '@projected-grpo-lab/base/json.ts';
import { enumOf } from '@projected-grpo-lab/base/lists.ts';
import { nearest } from '@projected-grpo-lab/base/nearest.ts';
import * as z from 'zod/mini';
import { allowed, choices, type Issue, innermost } from '../../lib/issue.ts';
import { ARM_NAMES } from '../config/arms.ts';
import { PRESET_NAMES } from '../config/run-spec.ts';
import { SETTING_NAMES } from '../config/settings.ts';
import { DEVICE_CHOICES } from '../config/spec.ts';

/** Thrown if a sweep's file describes impossible runs, or too many. */
export class SweepError extends SpecError {}

/** Everything that an axis may vary: each option of a run, and the arm. */
const AXIS_OPTIONS = [...SETTING_NAMES, 'arm'] as const;
export type AxisOption = (typeof AXIS_OPTIONS)[number];

export const LIMITS = {
  axes: 16,
  valuesPerAxis: 1000,
  seeds: 1000,
  constraints: 64,
  /** Most points of a grid, before its constraints. */
  points: 100_000,
  /** Most runs of a plan, over all seeds and rungs. */
  runs: 10_000,
} as const;

const scalar = z.union([z.number(), z.boolean(), z.string().check(z.maxLength(200))]);
const value = z.union([scalar, z.array(z.string().check(z.maxLength(200))).check(z.maxLength(64))]);
const option = enumOf(AXIS_OPTIONS);
const finite = z.number().check(z.minimum(-1e300), z.maximum(1e300));
const wholeNumber = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max));

const listed = z.strictObject({
  option,
  values: z.array(value).check(z.minLength(1), z.maxLength(LIMITS.valuesPerAxis)),
});
const ranged = z.strictObject({
  option,
  from: finite,
  to: finite,
  count: z.optional(wholeNumber(2, LIMITS.valuesPerAxis)),
  scale: z._default(z.enum(['linear', 'log']), 'linear'),
});
const constraint = z.strictObject({
  left: option,
  is: z.enum(['<', '<=', '=', '!=', '>=', '>']),
  right: z.union([scalar, z.strictObject({ option })]),
});
const drawSeed = z._default(wholeNumber(0, Number.MAX_SAFE_INTEGER), 0);
const count = wholeNumber(1, LIMITS.runs);
const search = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('grid') }),
  z.strictObject({ kind: z.literal('random'), count, seed: drawSeed }),
  z.strictObject({
    kind: z.literal('halving'),
    /** Number of configurations to draw; the whole grid if absent. */
    count: z.optional(count),
    seed: drawSeed,
    /** Steps of the first rung; the last has the steps of the runs themselves. */
    firstSteps: wholeNumber(1, 1_000_000),
    /** One configuration in `factor` of each rung continues, with `factor` times the steps. */
    factor: z._default(wholeNumber(2, 100), 3),
  }),
]);

export const sweepSchema = z.strictObject({
  /** URL at which editors look for the schema. */
  $schema: z.optional(z.string().check(z.maxLength(2000))),
  schema: z._default(z.literal(1), 1),
  name: z._default(z.string().check(z.maxLength(200)), ''),
  preset: z._default(z.enum(PRESET_NAMES), 'demo'),
  arm: z.optional(z.enum(ARM_NAMES)),
  /** Options that all runs share and that differ from the preset. */
  overrides: z._default(z.partialRecord(z.enum(SETTING_NAMES as [string, ...string[]]), value), {}),
  device: z._default(z.enum(DEVICE_CHOICES), 'cpu'),
  axes: z.array(z.union([listed, ranged])).check(z.minLength(1), z.maxLength(LIMITS.axes)),
  constraints: z._default(z.array(constraint).check(z.maxLength(LIMITS.constraints)), []),
  seeds: z.array(wholeNumber(0, Number.MAX_SAFE_INTEGER)).check(z.minLength(1), z.maxLength(LIMITS.seeds)),
  search: z._default(search, { kind: 'grid' }),
  /** Configurations that are worse than the median of all after this many steps end there; if absent all are trained to the end. */
  stop: z.optional(z.strictObject({ rule: z.literal('median'), after: wholeNumber(1, 1_000_000) })),
  /** A metric of the environment in the final evaluation; the first headline if absent. */
  metric: z.optional(z.string().check(z.maxLength(100))),
  /** The model that is ranked: `total` is the trained one, `deployed` the one without its quarantine. */
  model: z._default(z.enum(['total', 'deployed']), 'total'),
  /** Defaults to the metric's own direction. */
  goal: z.optional(z.enum(['higher', 'lower'])),
});

export type SweepSpec = z.infer<typeof sweepSchema>;
export type Axis = SweepSpec['axes'][number];
export type AxisValue = z.infer<typeof value>;
/** The value as labels and tables show it: `0.01`, `none`, `a+b`. */
export const valueText = (of: unknown): string => (Array.isArray(of) ? of.join('+') : String(of));
export type Constraint = SweepSpec['constraints'][number];

/** Reads the text of a sweep's file; `label` names it in errors. Throws SweepError. */
export function readSweepText(text: string, label: string, isKept = false): SweepSpec {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (cause) {
    throw new SweepError(`${label} is not JSON: ${(cause as Error).message}.`, 'Correct the file.', { cause });
  }
  const twice = isKept ? null : repeatedMember(text);
  if (twice)
    throw new SweepError(
      `${label} has ${JSON.stringify(twice.name)} twice in one object (line ${twice.line}).`,
      'Leave one of them out.',
    );
  return parseSweepSpec(value, isKept);
}

/**
 * Checks only the form; planSweep checks the values. Throws SweepError.
 *
 * @param isKept whether it is a folder's own file, possibly from an older version, which treated repeated values as one
 */
export function parseSweepSpec(input: unknown, isKept = false): SweepSpec {
  const parsed = sweepSchema.safeParse(input);
  if (!parsed.success) throw issueError(input, parsed.error.issues[0]);
  const spec = parsed.data;
  const seen = new Set<AxisOption>();
  for (const { option } of spec.axes) {
    if (seen.has(option))
      throw new SweepError(`Two axes vary ${option}.`, 'Put all of its values into one axis, or leave one axis out.');
    if (Object.hasOwn(spec.overrides, option) || (option === 'arm' && spec.arm !== undefined))
      throw new SweepError(
        `${option} is varied by an axis, and ${option === 'arm' ? 'arm' : 'overrides'} sets it too.`,
        'Leave one of them out.',
      );
    seen.add(option);
  }
  if (!isKept) for (const axis of spec.axes) if ('values' in axis) refuseTwice(axis);
  const twice = spec.seeds.find((seed, i) => spec.seeds.indexOf(seed) < i);
  if (twice !== undefined) throw new SweepError(`Seed ${twice} is given twice.`, 'Give each seed once.');
  if (spec.search.kind === 'halving' && seen.has('steps'))
    throw new SweepError(
      'Successive halving decides the steps itself, and an axis varies them.',
      'Leave that axis out.',
    );
  if (spec.stop && spec.search.kind === 'halving')
    throw new SweepError(
      'Successive halving and a stop rule both say which configurations go on.',
      'Leave stop out, or search by grid or random draws.',
    );
  if (spec.stop && seen.has('steps'))
    throw new SweepError(
      'The stop rule compares runs that are equally long, and an axis varies the steps.',
      'Leave that axis or stop out.',
    );
  return spec;
}

/** Lists are compared as sets, regardless of order. */
function refuseTwice({ option, values }: Extract<Axis, { values: unknown }>): void {
  const texts = values.map((value) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value));
  const twice = texts.findIndex((text, i) => texts.indexOf(text) < i);
  if (twice >= 0)
    throw new SweepError(`The axis ${option} has ${valueText(values[twice])} twice.`, 'Give each value once.');
}

function issueError(input: unknown, raw: unknown): SweepError {
  const issue = innermost(raw as Issue);
  const path = issue.path.map(String);
  let found: unknown = input;
  for (const key of issue.path) found = (found as Record<PropertyKey, unknown> | null | undefined)?.[key];
  const isName = ['option', 'left'].includes(path.at(-1) ?? '') && typeof found === 'string';
  const isOverride = path[0] === 'overrides' && issue.code === 'unrecognized_keys' && issue.keys?.[0] !== undefined;
  const unknown = isName ? String(found) : isOverride ? String(issue.keys?.[0]) : null;
  if (unknown !== null && !(AXIS_OPTIONS as readonly string[]).includes(unknown)) {
    const guess = nearest(unknown, AXIS_OPTIONS);
    return new SweepError(
      `${path.join('.')}: there is no option ${JSON.stringify(unknown)}${guess ? `; did you mean ${guess}?` : '.'}`,
      'npm run lab -- run --settings lists the options; an axis may vary `arm` too.',
    );
  }
  if (issue.code === 'unrecognized_keys')
    return new SweepError(
      `${[...path, ''].join('.')}${issue.keys?.join(', ')} is no member of a sweep.`,
      'npm run lab -- sweep schema prints what may stand there.',
    );
  const shown = (JSON.stringify(found) ?? 'nothing').slice(0, 80);
  const what = allowed(issue);
  const guess = typeof found === 'string' && found.length > 2 ? nearest(found, choices(issue)) : null;
  return new SweepError(
    `${path.join('.') || 'A sweep'} = ${shown} is not allowed${guess ? `; did you mean ${guess}?` : '.'}`,
    `${what === null ? '' : `Give ${what}. `}npm run lab -- sweep schema prints what may stand there.`,
  );
}

/** JSON Schema of a sweep's file, for editors. */
export const sweepJsonSchema = (): object => ({
  title: 'A sweep of Projected GRPO Lab',
  ...z.toJSONSchema(sweepSchema, { io: 'input' }),
});
