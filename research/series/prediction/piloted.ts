// Results of the pilots (`npm run research -- predict --draws pilots`), committed before the first judged draw: each part's formula, those with a
// single predictor, and the predictions by the mode alone. A test recomputes them from the published pilots.

import type { Part, Piloted } from './formula.ts';

export const PILOTED: Readonly<Record<Part, Piloted>> = {
  shown: {
    formula: { constant: -0.5637, cin: 1.1873, separation: 0.4967, share: 0.1431 },
    singles: {
      cin: { constant: -0.3103, cin: 1.6968 },
      separation: { constant: -0.6891, separation: 1.4451 },
      share: { constant: -0.0325, share: 0.7886 },
    },
    byMode: { sentinel: 0.5114, stdout_marker: 0.5296, file_marker: 0.2931, eq_override: 0.4892, exit_code: 0.4848 },
    cells: 60,
  },
  unseen: {
    formula: { constant: -0.3977, cin: 1.9377, separation: 0.0518 },
    singles: {
      cin: { constant: -0.3815, cin: 2.0015 },
      separation: { constant: -0.2981, separation: 0.6832 },
      share: { constant: 0.1309 },
    },
    byMode: { sentinel: 0.099, stdout_marker: 0.2453, file_marker: 0.0711, eq_override: -0.0464, exit_code: 0.2854 },
    cells: 240,
  },
};
