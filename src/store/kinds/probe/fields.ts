// Number fields of a probe and its trainings that are not settings of a run.
import type { ProbeTraining } from '../../../lab/protocol/probe.ts';
import { MAX_SEED, type NumberField } from '../../form/number-fields.ts';

/** Used only with the teacher's templates. */
export const CORRECT_FIELD: NumberField<'correct'> = {
  name: 'correct',
  label: 'Solving hacks',
  help: 'Samples of each problem that hack and solve; T4 needs them.',
  min: 0,
  max: 256,
  step: 1,
};

export const ASK_FIELDS: readonly NumberField<'problems' | 'samples' | 'seed'>[] = [
  { name: 'problems', label: 'Problems', help: 'Each is one step of a replay.', min: 1, max: 512, step: 1 },
  { name: 'samples', label: 'Samples', help: 'Completions of each problem.', min: 1, max: 256, step: 1 },
  { name: 'seed', label: 'Seed', help: 'Fixes random axes and permutations.', min: 0, max: MAX_SEED, step: 1 },
];

export const TRAINING_FIELDS: readonly NumberField<Exclude<keyof ProbeTraining, 'check'>>[] = [
  { name: 'steps', label: 'Steps', help: 'At least 15, for a verdict.', min: 1, max: 400, step: 1 },
  { name: 'ratio', label: 'Teacher’s share', help: 'Its part of every group.', min: 0.1, max: 0.9, step: 0.05 },
  { name: 'innerEpochs', label: 'Inner epochs', help: 'With one, every ratio is 1.', min: 1, max: 8, step: 1 },
  {
    name: 'loraLr',
    label: 'LoRA’s learning rate',
    help: 'LoRA diverges at the other adapters’ rate.',
    min: 0.00001,
    max: 1,
    step: 0.0005,
  },
];
