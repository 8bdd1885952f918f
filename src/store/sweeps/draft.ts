// A sweep in three forms: the form's texts, the spec that they describe, and an address.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { isSettingName, SETTING_NAMES, settingOfText } from '../../experiments/config/settings.ts';
import { planSweep, type SweepPlan } from '../../experiments/sweep/plan.ts';
import {
  type AxisOption,
  type AxisValue,
  parseSweepSpec,
  SweepError,
  type SweepSpec,
  valueText,
} from '../../experiments/sweep/spec.ts';
import { packJson, unpackJson } from '../../share/pack.ts';
import { SWEEP_MARK } from '../../share/view-hash.ts';

interface AxisDraft {
  option: string;
  /** Such as `0.01, 0.03` or `0.001 … 0.1, 5, log`. */
  values: string;
}

export interface SweepDraft {
  name: string;
  preset: SweepSpec['preset'];
  /** Empty for the preset's first arm. */
  arm: string;
  /** One `name=value` per line. */
  overrides: string;
  axes: AxisDraft[];
  constraints: string;
  seeds: string;
  search: 'grid' | 'random' | 'halving';
  count: string;
  firstSteps: string;
  /** Empty for the environment's first headline. */
  metric: string;
  model: SweepSpec['model'];
  device: SweepSpec['device'];
}

export const FIRST_DRAFT: SweepDraft = {
  name: 'Learning rate',
  preset: 'smoke',
  arm: 'none',
  overrides: 'environment=arithmetic',
  constraints: '',
  axes: [{ option: 'lr', values: '0.01, 0.03' }],
  seeds: '41, 42',
  search: 'grid',
  count: '8',
  firstSteps: '1',
  metric: '',
  model: 'total',
  device: 'cpu',
};

const RANGE = /^(\S+)\s*(?:…|\.\.\.?)\s*(\S+?)\s*(?:,\s*(\d+))?\s*(?:,\s*(log|linear))?$/;

/** Commas separate the values of an axis, so the items of a list are separated by +. */
const parsedValue = (option: string, text: string): AxisValue =>
  isSettingName(option) ? (settingOfText(option, text, '+') as AxisValue) : text;

export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function axisOf({ option, values }: AxisDraft): unknown {
  const range = RANGE.exec(values.trim());
  if (!range) return { option, values: listOf(values).map((text) => parsedValue(option, text)) };
  const [, from, to, count, scale] = range;
  return {
    option,
    from: Number(from),
    to: Number(to),
    ...(count && { count: Number(count) }),
    ...(scale && { scale }),
  };
}

function constraintOf(line: string): unknown {
  const parts = /^\s*(\w+)\s*(<=|>=|!=|<|>|=)\s*(\S+)\s*$/.exec(line);
  if (!parts) throw new SweepError(`${line.trim()} is not a constraint.`, 'Write it as: k <= pairs');
  const [, left, is, right] = parts;
  const isOption = isSettingName(right);
  return { left, is, right: isOption ? { option: right } : parsedValue(left, right) };
}

/** Throws SweepError. */
export function specOfDraft(draft: SweepDraft): SweepSpec {
  const overrides: Record<string, AxisValue> = {};
  for (const line of draft.overrides.split('\n').filter((text) => text.trim() !== '')) {
    const at = line.indexOf('=');
    if (at < 0) throw new SweepError(`${line.trim()} sets nothing.`, 'Write it as: steps=25');
    const name = line.slice(0, at).trim();
    setOwn(overrides, name, parsedValue(name, line.slice(at + 1).trim()));
  }
  const count = Number(draft.count);
  const search =
    draft.search === 'grid'
      ? { kind: 'grid' }
      : draft.search === 'random'
        ? { kind: 'random', count }
        : { kind: 'halving', firstSteps: Number(draft.firstSteps), ...(draft.count.trim() !== '' && { count }) };
  return parseSweepSpec({
    schema: 1,
    name: draft.name,
    preset: draft.preset,
    overrides,
    device: draft.device,
    ...(draft.arm !== '' && !draft.axes.some(({ option }) => option === 'arm') && { arm: draft.arm }),
    axes: draft.axes.map(axisOf),
    constraints: draft.constraints
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(constraintOf),
    seeds: listOf(draft.seeds).map(Number),
    search,
    ...(draft.metric !== '' && { metric: draft.metric }),
    model: draft.model,
  });
}

/** The draft of a sweep. Throws SweepError for a sweep that the page cannot run. */
export function draftOf(spec: SweepSpec): SweepDraft {
  if (spec.stop)
    throw new SweepError(
      'The sweep has a stop rule, and the page trains every run to its end.',
      'Train it on the command line: npm run lab -- sweep run SPEC --out DIR. Or leave stop out.',
    );
  const { search } = spec;
  return {
    name: spec.name,
    preset: spec.preset,
    arm: spec.arm ?? '',
    model: spec.model,
    device: spec.device,
    overrides: Object.entries(spec.overrides)
      .map(([name, value]) => `${name}=${valueText(value)}`)
      .join('\n'),
    axes: spec.axes.map((axis) => ({
      option: axis.option,
      values:
        'values' in axis
          ? axis.values.map(valueText).join(', ')
          : [`${axis.from} … ${axis.to}`, ...(axis.count ? [axis.count] : []), axis.scale].join(', '),
    })),
    constraints: spec.constraints
      .map(({ left, is, right }) => `${left} ${is} ${typeof right === 'object' ? right.option : valueText(right)}`)
      .join('\n'),
    seeds: spec.seeds.join(', '),
    search: search.kind,
    count: search.kind === 'grid' || search.count === undefined ? '' : String(search.count),
    firstSteps: search.kind === 'halving' ? String(search.firstSteps) : '1',
    metric: spec.metric ?? '',
  };
}

/** The plan of a draft, or its error. */
export function checkSweepDraft(draft: SweepDraft): { plan: SweepPlan | null; problem: SpecError | null } {
  try {
    return { plan: planSweep(specOfDraft(draft)), problem: null };
  } catch (error) {
    if (error instanceof SpecError) return { plan: null, problem: error };
    throw error;
  }
}

/** Without the leading #. */
export const encodeSweep = async (spec: SweepSpec): Promise<string> => `${SWEEP_MARK}${await packJson(spec)}`;

const MOST_LINK = 16_384;

/** Throws SpecError. */
export async function decodeSweep(hash: string): Promise<SweepSpec> {
  const text = hash.replace(/^#/, '').slice(SWEEP_MARK.length);
  const damaged = 'Ask for the link again, or for the sweep’s file.';
  if (text.length > MOST_LINK) throw new SweepError(`The link has ${text.length} characters.`, damaged);
  try {
    return parseSweepSpec(await unpackJson(text));
  } catch (error) {
    if (error instanceof SpecError) throw error;
    throw new SweepError('The link’s sweep cannot be read.', damaged, { cause: error });
  }
}

export const AXIS_NAMES: readonly AxisOption[] = [...SETTING_NAMES, 'arm'];
