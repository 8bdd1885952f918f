// What the Probe view's form holds, what is wrong with it, what it asks for and what that costs. Pure.

import { PRESETS, type Settings } from '../../../experiments/config/spec.ts';
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES } from '../../../experiments/kinds/probe/spec.ts';
import { probeWork } from '../../../lab/kinds/probe/work.ts';
import type { ProbeAsk, ProbeTraining } from '../../../lab/protocol/probe.ts';
import { readField, settingText } from '../../draft.ts';

/** Settings of a run that the form shows, in its order. */
export const PROBE_FIELDS = ['k', 'pairs', 'tauAxis', 'basisKind', 'gate', 'adapter', 'lr'] as const;
export type ProbeField = (typeof PROBE_FIELDS)[number];
/** LoRA diverges at the rate of the the SVD adapter. */
export const LORA_LR = 0.003;
/** A probe's settings are this preset's unless they are told otherwise. */
export const DEFAULTS: Settings = PRESETS.classic.settings;

export interface ProbeForm {
  /** `onnx`, `templates`, or a kept pool's sha-256. */
  teacher: string;
  /** Of the templates' samples of a problem, how many have the right body beside the exploit. */
  correct: number;
  problems: number;
  samples: number;
  seed: number;
  /** `set <pair set>` or `file <kept basis>`. */
  basis: string;
  /** As typed. */
  fields: Record<ProbeField, string>;
}

/** T5 needs 15 steps to decide. */
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

/** What is wrong with the typed settings, by field. */
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

/** Of a form in which nothing is wrong. Only what differs from the usual settings is asked for. */
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
  /** Gradients of single completions. */
  gradients: number;
  /** Null while no measurement is there. */
  seconds: number | null;
  /** Kept in the browser, about. */
  bytes: number;
}

/** Two rows a sample, each with its text, the random axes' figures and every module's. */
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
