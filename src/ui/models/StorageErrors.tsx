// The ways to store weights: what they are called, and what each was measured to cost, beside the choice.

import type { WeightStorage } from '../../engine/types.ts';
import { MEASURED_MODELS, STORAGE_ERRORS } from '../../engine/weights/storage-error.ts';
import type { StorageChoice } from '../../lab/protocol/models.ts';
import { errorShare } from '../../lib/numbers.ts';
import { TableBox } from '../parts/TableBox.tsx';

/** How the weights may be stored on the device, in the order of the menu. */
export const STORAGE_LABELS: readonly [StorageChoice, string][] = [
  ['auto', 'the most exact that fits'],
  ['f32', '32-bit floats'],
  ['f16', '16-bit floats'],
  ['q8t16', '8-bit integers, embedding and head in 16 bits'],
  ['q8g32', '8-bit integers'],
  ['q8', '8-bit integers in groups of 64 (for what was begun with them)'],
];

export const STORAGE_NAMES = Object.fromEntries(STORAGE_LABELS) as Record<StorageChoice, string>;

/** What this storage was measured to cost, in a sentence; nothing of f32, which is exact. */
export function errorWords(storage: WeightStorage): string {
  if (storage === 'f32') return '';
  const said = MEASURED_MODELS.map((model) => {
    const { relative, changed, positions } = STORAGE_ERRORS[storage][model];
    return `${model} ${relative === 0 ? '0' : errorShare(relative)} and ${changed} of ${positions}`;
  });
  return `Measured change of the logits (relative L2) and of the likeliest token: ${said.join('; ')}. `;
}

export function StorageErrors() {
  return (
    <details className="muted note">
      <summary>What fewer bits change, as measured</summary>
      <TableBox label="Measured error of each storage">
        <table className="result" aria-label="Measured error of each storage">
          <thead>
            <tr>
              <th scope="col">Weights</th>
              <th scope="col">Model</th>
              <th scope="col">Logits’ relative L2</th>
              <th scope="col">Likeliest token changed</th>
              <th scope="col">KL, nats</th>
            </tr>
          </thead>
          <tbody>
            {STORAGE_LABELS.flatMap(([storage, label]) =>
              storage === 'auto' || storage === 'f32'
                ? []
                : MEASURED_MODELS.map((model) => {
                    const { relative, changed, positions, kl } = STORAGE_ERRORS[storage][model];
                    return (
                      <tr key={`${storage} ${model}`}>
                        <th scope="row">{label}</th>
                        <td>{model}</td>
                        <td className="num">{relative === 0 ? '0' : errorShare(relative)}</td>
                        <td className="num">
                          {changed} of {positions}
                        </td>
                        <td className="num">{kl === 0 ? '0' : kl.toExponential(1)}</td>
                      </tr>
                    );
                  }),
            )}
          </tbody>
        </table>
      </TableBox>
      <p className="note">
        Against the 32-bit weights, on what each model writes itself. The files of minimind2-small and tiny-coder hold
        no more than 16 bits.
      </p>
    </details>
  );
}
