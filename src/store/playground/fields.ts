// The numbers of a question to the model.
import type { ModelReport } from '../../lab/protocol/reports.ts';
import { MAX_SEED, type NumberField } from '../form/number-fields.ts';
import { mostNew } from './playground.ts';

/** How long an answer may be is the model's. */
export const askFields = (model: ModelReport | null): readonly NumberField<'seed' | 'temperature' | 'maxNew'>[] => [
  { name: 'seed', label: 'Seed', min: 0, max: MAX_SEED, step: 1 },
  { name: 'temperature', label: 'Temperature', help: '0 = greedy', min: 0, max: 2, step: 0.1 },
  { name: 'maxNew', label: 'At most', unit: 'tokens', min: 1, max: mostNew(model), step: 1 },
];
