// The form of the Probe view: its fields, their errors, its request and the cost of the request. Pure functions.

import { PRESETS } from '../../../experiments/config/presets.ts';
import { type Settings, settingText } from '../../../experiments/config/settings.ts';
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES } from '../../../experiments/kinds/probe/spec.ts';
import { probeWork } from '../../../lab/kinds/probe/work.ts';
import type { ProbeAsk, ProbeTraining } from '../../../lab/protocol/probe.ts';
import { readField } from '../../draft.ts';

/** Settings of a run that the form shows, in display order. */
export const PROBE_FIELDS = ['k', 'pairs', 'tauAxis', 'basisKind', 'gate', 'adapter', 'lr'] as const;
export type ProbeField = (typeof PROBE_FIELDS)[number];
/** LoRA diverges at the learning rate of the SVD adapter. */
export const LORA_LR = 0.003;
/** Settings of a probe, unless its request changes them. */
export const DEFAULTS: Settings = PRESETS.classic.settings;

export interface ProbeForm {
  /** `onnx`, `templates`, or the sha-256 of a stored pool. */
  teacher: string;
  /** Number of a problem's template samples that have the correct body beside the exploit. */
  correct: number;
  problems: number;
  samples: number;
  seed: number;
  /** `set <pair set>` or `file <stored basis>`. */
  basis: string;
  /** The fields' texts as typed. */
  fields: Record<ProbeField, string>;
}

/** T5 needs 15 steps for a verdict. */
export const DEFAULT_TRAINING: Omit<ProbeTraining, 'check'> = {
  steps: 20,
  ratio: 0.5,
  innerEpochs: 2,
  loraLr: LORA_LR,
};

export const DEFAULT_FORM: ProbeForm = {
  teacher: 'onnx',
  correct: CORRECT_ROWS,
  problems: PROBE_PROBLEMS,
  samples: PROBE_SAMPLES,
  seed: 41,
  basis: `set ${DEFAULTS.pairSet}`,
  fields: Object.fromEntries(PROBE_FIELDS.map((name) => [name, settingText(DEFAULTS[name])])) as ProbeForm['fields'],
};

/** Errors of the typed settings, by field. */
export function checkProbe({
  fields,
  correct,
  samples,
  teacher,
}: ProbeForm): Partial<Record<ProbeField | 'correct', string>> {
  const wrong: Partial<Record<ProbeField | 'correct', string>> = Object.fromEntries(
    PROBE_FIELDS.flatMap((name) => {
      const read = readField(name, fields[name]);
      return 'error' in read ? [[name, read.error]] : [];
    }),
  );
  if (teacher === 'templates' && correct > samples) wrong.correct = `At most the ${samples} samples of a problem.`;
  return wrong;
}

/** Request of a form without errors. It contains only settings that differ from the defaults. */
export function askOf(form: ProbeForm): ProbeAsk {
  const { teacher, correct, problems, samples, seed, basis, fields } = form;
  const [kind, id] = [basis.slice(0, basis.indexOf(' ')), basis.slice(basis.indexOf(' ') + 1)];
  const typed = PROBE_FIELDS.flatMap((name) => {
    const read = readField(name, fields[name]);
    return 'error' in read || read.value === DEFAULTS[name] ? [] : [[name, read.value]];
  });
  const from =
    kind === 'file' ? { basisSource: 'file', basisFile: id } : id === DEFAULTS.pairSet ? {} : { pairSet: id };
  return {
    teacher:
      teacher === 'onnx'
        ? { kind: 'onnx' }
        : teacher === 'templates'
          ? { kind: 'templates', correct }
          : { kind: 'pool', sha256: teacher },
    problems,
    samples,
    seed,
    settings: { ...Object.fromEntries(typed), ...from } as Partial<Settings>,
  };
}

interface ProbeCost {
  /** Number of gradients of single completions. */
  gradients: number;
  /** Null before the pace has been measured. */
  seconds: number | null;
  /** Approximate bytes stored in the browser. */
  bytes: number;
}

/**
 * Approximate bytes of one row. Each sample has two rows, and each row contains its text, the figures of the random axes, and those of
 * every module.
 */
const ROW_BYTES = 2200;

export function costOf({ problems, samples, fields }: ProbeForm, perSample: number | null): ProbeCost {
  const pairs = readField('pairs', fields.pairs);
  const gradients = probeWork(samples, problems, 'error' in pairs ? 0 : Number(pairs.value)).all;
  return {
    gradients,
    seconds: perSample === null ? null : perSample * gradients,
    bytes: 2 * samples * problems * ROW_BYTES,
  };
}
