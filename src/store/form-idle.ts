// Which settings cannot act in the experiment as it stands, and why: a LoRA rank without LoRA, a clip where every ratio is 1.
// They stay in the form, marked, so that nobody waits for the effect of one or looks for one that is gone.
import { ARMS, type Arm, type SettingName } from '../experiments/spec.ts';
import { type Draft, settingText } from './form.ts';

/** What a setting is in one arm: the arm's own value, else the form's. */
type ValueOf = (name: SettingName) => string;
type Rule = (of: ValueOf, arm: Arm) => string | null;

const withoutTeacher: Rule = (of) => (Number(of('mix')) === 0 ? 'only with a teacher share above 0' : null);
const withoutProjection: Rule = (_of, arm) =>
  arm.projection === 'none' ? 'only with an arm that erases or routes' : null;
/** On policy every ratio is 1, and 1 is inside every clip. */
const onPolicy: Rule = (of) =>
  Number(of('innerEpochs')) === 1 && (of('teacherRatio') === 'recomputed' || Number(of('mix')) === 0)
    ? 'only with several inner epochs, or a stored teacher ratio: until then every ratio is 1'
    : null;

const RULES: Partial<Record<SettingName, Rule>> = {
  loraRank: (of) => (of('adapter') === 'lora' ? null : 'only with adapter lora'),
  basisFile: (of) => (of('basisSource') === 'file' ? null : 'only with “Basis from: file”'),
  teacherPool: withoutTeacher,
  poolModes: withoutTeacher,
  teacherRatio: withoutTeacher,
  clipEps: onPolicy,
  clipEpsHigh: onPolicy,
  gate: withoutProjection,
  overshoot: withoutProjection,
  preserveMagnitude: withoutProjection,
  monitorAccuracy: (of) =>
    Number(of('rewardPenalty')) > 0 || of('screening') === 'true' ? null : 'only with a reward penalty or screening',
  advantageAlpha: (of) => (of('advantageMod') === 'none' ? 'only with an advantage modification' : null),
  evalProblems: (of) => (Number(of('evalEvery')) === 0 ? 'only with an evaluation during the run' : null),
};

/** Why the field's value makes no difference to any of the chosen arms; null where it does to one of them. */
export function idleReason(name: SettingName, { arms, fields }: Pick<Draft, 'arms' | 'fields'>): string | null {
  const reasons = arms.map((key) => {
    const arm: Arm = ARMS[key];
    const own = arm.settings[name];
    if (own !== undefined) return `each chosen arm that needs it brings its own (${arm.label}: ${settingText(own)})`;
    const of: ValueOf = (other) => {
      const value = arm.settings[other];
      return value === undefined ? fields[other].trim() : settingText(value);
    };
    return RULES[name]?.(of, arm) ?? null;
  });
  if (reasons.length === 0 || reasons.includes(null)) return null;
  // The arm's own value is the better reason where there is one.
  return reasons.find((reason) => reason?.startsWith('each')) ?? reasons[0];
}
