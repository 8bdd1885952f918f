// Names of the weight formats, and the measured error of each, shown beside the choice.

import type { WeightStorage } from '../../engine/types.ts';
import {
  INTEGER_ERRORS,
  KV_CACHE_ERRORS,
  MEASURED_MODELS,
  STORAGE_ERRORS,
} from '../../engine/weights/storage-error.ts';
import type { StorageChoice } from '../../lab/protocol/models.ts';
import { errorShare } from '../../lib/numbers.ts';
import { DataTable } from '../parts/DataTable.tsx';

/** Formats of the weights on the device, in the order of the menu. */
export const STORAGE_LABELS: readonly [StorageChoice, string][] = [
  ['auto', 'the most exact that fits'],
  ['f32', '32-bit floats'],
  ['f16', '16-bit floats'],
  ['q8t16', '8-bit integers, embedding and head in 16 bits'],
  ['q8g32', '8-bit integers'],
  ['q8', '8-bit integers in groups of 64 (for what was begun with them)'],
  ['q4g32', '4-bit integers'],
];

export const STORAGE_NAMES = Object.fromEntries(STORAGE_LABELS) as Record<StorageChoice, string>;

/** The format's measured error in a sentence; empty for f32, which is exact. */
export function errorWords(storage: WeightStorage): string {
  if (storage === 'f32') return '';
  const sentences = MEASURED_MODELS.map((model) => {
    const { relative, changed, positions } = STORAGE_ERRORS[storage][model];
    return `${model} ${relative === 0 ? '0' : errorShare(relative)} and ${changed} of ${positions}`;
  });
  return `Measured change of the logits (relative L2) and of the likeliest token: ${sentences.join('; ')}. `;
}

export function StorageErrors() {
  const weights = STORAGE_LABELS.flatMap(([storage, label]) =>
    storage === 'auto' || storage === 'f32'
      ? []
      : MEASURED_MODELS.map((model) => ({ label, model, ...STORAGE_ERRORS[storage][model] })),
  );
  const rollouts = (
    [
      ['32-bit floats, keys and values in 16 bits', KV_CACHE_ERRORS],
      ['8-bit integers, and 8-bit products in rollouts', INTEGER_ERRORS],
    ] as const
  ).flatMap(([label, errors]) => MEASURED_MODELS.map((model) => ({ label, model, ...errors[model] })));
  return (
    <details className="muted note">
      <summary>What fewer bits change, as measured</summary>
      <DataTable
        label="Measured error of each storage"
        isNamed
        rows={[...weights, ...rollouts]}
        columns={[
          { head: 'Weights', cell: ({ label }) => label },
          { head: 'Model', cell: ({ model }) => model, className: '' },
          { head: 'Logits’ relative L2', cell: ({ relative }) => (relative === 0 ? '0' : errorShare(relative)) },
          { head: 'Likeliest token changed', cell: ({ changed, positions }) => `${changed} of ${positions}` },
          { head: 'KL, nats', cell: ({ kl }) => (kl === 0 ? '0' : kl.toExponential(1)) },
        ]}
      />
      <p className="note">
        Against the 32-bit weights, on what each model writes itself. The files of minimind2-small and tiny-coder hold
        no more than 16 bits.
      </p>
    </details>
  );
}
