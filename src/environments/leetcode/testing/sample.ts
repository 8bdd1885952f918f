// Where the benchmark's sample lies when it is at hand: it is no part of the project, and its tests are skipped without it.
import { fileURLToPath } from 'node:url';

export const SAMPLE_PROBLEMS = fileURLToPath(
  new URL('../../../../../shared/data/leetcode_medhard_sample.jsonl', import.meta.url),
);
