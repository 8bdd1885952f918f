// The settings that differ between two lines of a table: the candidates for the cause of a difference. More than one is a confound, which the
// table states. A setting that one side does not use (the basis of a run without projection) does not count. Pure functions of the specs.

import { oncePer } from '../../lib/once-per.ts';
import { ARMS } from '../config/arms.ts';
import { disabledReasonIn, meaningIn } from '../config/effect.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { FIELDS, SETTING_NAMES, type SettingName, settingsOf } from '../config/settings.ts';
import { withDefaults } from '../config/spec.ts';
import { changedSettings } from '../records/checkpoint.ts';
import type { RunRecord } from '../records/events.ts';
import type { ArmSet } from './statistics.ts';
import { interventionsOn } from './vanilla.ts';
import { uncapital } from './words.ts';

/** A differing setting with its two values, printed as `label (reference → other)`. */
export interface Difference {
  name: string;
  before: unknown;
  after: unknown;
}

type Condition = Record<string, unknown>;

/** Settings that define the environment on which a model is evaluated, trained or not. */
const ENVIRONMENT = [
  'modes',
  'honestShare',
  'finalEvalProblems',
  'evaluationSeeds',
  'dataSeed',
  'model',
  'environment',
] as const satisfies readonly SettingName[];

/** Differences between two sets; for those among a set's own runs see `differencesWithin`. Empty if either has no run. */
export function differencesBetween(reference: ArmSet, other: ArmSet): Difference[] {
  const [a, b] = [reference.runs[0], other.runs[0]];
  if (!a || !b) return [];
  const before = conditionOf(a.spec, reference);
  const after = conditionOf(b.spec, other);
  const differences = differingKeys(before, after).filter(
    ({ name }) => name !== BEGINNING || !isParent(a.spec, b.spec),
  );
  if (a.spec.model === b.spec.model && a.modelSha256 !== b.modelSha256)
    differences.push({ name: 'model weights', before: a.modelSha256.slice(0, 8), after: b.modelSha256.slice(0, 8) });
  if (a.graderVersion !== b.graderVersion)
    differences.push({ name: 'grader', before: a.graderVersion, after: b.graderVersion });
  return differences;
}

/** Name under which a fork's first steps are listed. */
const BEGINNING = 'first steps';

/** Whether one run is the other's parent: then their first steps are equal, and only the other settings can differ. */
const isParent = (one: RunSpec, other: RunSpec): boolean =>
  [
    [one, other],
    [other, one],
  ].some(([parent, { fork }]) => fork !== undefined && changedSettings(fork.spec, parent).length === 0);

/** `20 as vanilla, learning rate 0.01`, or `its own`. */
function beginningOf(run: RunSpec): string {
  const { fork } = run;
  if (!fork) return 'its own';
  const [before, after] = [withDefaults(fork.spec), withDefaults(run)];
  const changed = SETTING_NAMES.filter((name) => valueText(before[name]) !== valueText(after[name]));
  const values = changed.map((name) => `${uncapital(labelOf(name))} ${valueText(before[name])}`);
  const earlier = fork.spec.fork ? [`its first steps ${beginningOf(fork.spec)}`] : [];
  return [`${fork.step} as ${ARMS[fork.spec.arm]?.label ?? fork.spec.arm}`, ...values, ...earlier].join(', ');
}

/** Differences among a set's runs; there should be none. */
export function differencesWithin(set: ArmSet): Difference[] {
  const [first, ...rest] = set.runs;
  if (!first) return [];
  const reference = { ...set, runs: [first] };
  const differences = rest.flatMap((run) => differencesBetween(reference, { ...set, runs: [run] }));
  return differences.filter((difference, i) => differences.findIndex(({ name }) => name === difference.name) === i);
}

/** `Teacher share (0.25 → 0)`. */
export function differenceText({ name, before, after }: Difference): string {
  return `${name} (${valueText(before)} → ${valueText(after)})`;
}

/** The confound note of a table; null for at most one difference. */
export function confoundNote(differences: readonly Difference[]): string | null {
  if (differences.length < 2) return null;
  return `Confound: ${differences.length} things differ at once: ${differences.map(differenceText).join('; ')}. The difference cannot be attributed to one of them.`;
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') || '–' : value === '' ? '–' : String(value);

/** A key on one side only belongs to something that the other side lacks, which is already a difference. */
function differingKeys(before: Condition, after: Condition): Difference[] {
  return Object.keys(before)
    .filter((key) => key in after && JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => ({ name: key, before: before[key], after: after[key] }));
}

const labelOf = (name: SettingName): string => FIELDS[name].label;

/** Cached, since a table compares each line with many. */
const conditionsOf = oncePer((_: RunSpec) => new Map<string, Condition>());

/** Everything that defines this line, by the labels that readers see. */
function conditionOf(run: RunSpec, set: ArmSet): Condition {
  const known = conditionsOf(run);
  const key = JSON.stringify([set.model, set.shadow]);
  const condition = known.get(key) ?? conditionMade(run, set);
  known.set(key, condition);
  return condition;
}

function conditionMade(run: RunSpec, set: ArmSet): Condition {
  if (set.model === 'base') {
    const spec = withDefaults(run);
    return { training: 'none', ...Object.fromEntries(ENVIRONMENT.map((name) => [labelOf(name), spec[name]])) };
  }
  const projection = projectionOf(run, set.model);
  const condition: Condition = { ...trainingOf(run), projection };
  if (projection === 'none') return condition;
  return { ...condition, projected: run.projectTarget, ...basisOf(withDefaults(run), set) };
}

/** Training settings, the same for all models of a run. */
const trainingOf = oncePer((run: RunSpec): Condition => {
  const spec = withDefaults(run);
  const condition: Condition = { training: 'GRPO', [BEGINNING]: beginningOf(run) };
  for (const name of settingsOf('training'))
    if (disabledReasonIn(spec, name) === null) condition[labelOf(name)] = meaningIn(spec, name);
  condition.baseline = interventionOf(spec);
  return condition;
});

/** The settings that replace plain GRPO, joined into one difference: `reward penalty 2, monitor accuracy 0.9`, or `none`. */
export function interventionOf(run: RunSpec): string {
  const spec = withDefaults(run);
  const parts = interventionsOn(spec).map((name) => {
    const label = uncapital(labelOf(name));
    return spec[name] === true ? label : `${label} ${valueText(spec[name])}`;
  });
  return parts.join(', ') || 'none';
}

/** Under route/update the trained model equals vanilla's, byte for byte. */
function projectionOf({ projection, projectTarget }: RunSpec, model: string): string {
  if (projection === 'none') return 'none';
  if (projection === 'erase') return 'erase';
  if (model === 'total') return projectTarget === 'update' ? 'none' : 'route, in training';
  return model === 'steered_base' ? 'steered base' : 'route, deployed';
}

const SOURCES = {
  random: 'random',
  random_matched: 'random_matched',
  permuted: 'permuted',
  flipped: 'flipped',
} as const;

/** The basis and how it is applied; a control's own settings override the run's. */
function basisOf(spec: RunSpec, { model, shadow: given }: ArmSet): Condition {
  const control = given ?? spec.shadows.find(({ id }) => id === model);
  const own = { ...spec, ...control?.settings };
  if (control) {
    own.gate = control.gate;
    own.k = control.k;
    if (control.kind in SOURCES) own.basisSource = SOURCES[control.kind as keyof typeof SOURCES];
  }
  const modes = own.pairModes.length ? own.pairModes : own.modes;
  own.pairModes = control?.mode ? modes.filter((mode) => mode !== control.mode) : modes;
  const condition: Condition = {};
  for (const name of settingsOf('projection')) {
    // A matched basis's k is found during matching, not set.
    if (name === 'k' && own.basisSource === 'random_matched') continue;
    condition[labelOf(name)] = name === 'pairModes' ? sorted(own.pairModes) : own[name];
  }
  // An imported basis is one difference, not two (its source and its name).
  const [source, file] = [labelOf('basisSource'), labelOf('basisFile')];
  condition[source] = own.basisSource === 'file' ? `file ${own.basisFile}` : own.basisSource;
  delete condition[file];
  return condition;
}

const sorted = (items: readonly string[]): string[] => [...items].sort();

/** Devices and versions are not settings, but they change the bytes of the result. */
export function provenanceNotes(runs: readonly RunRecord[]): string[] {
  const among = (value: (run: RunRecord) => string) => [...new Set(runs.map(value))];
  const notes: string[] = [];
  const devices = among((run) => run.device);
  if (devices.length > 1)
    notes.push(
      `Made on different devices (${devices.join('; ')}): the same seed does not give the same bytes on each.`,
    );
  const versions = among((run) => run.appVersion);
  if (versions.length > 1) notes.push(`Made by different versions of the lab (${versions.join(', ')}).`);
  return notes;
}
