// Where published results lie.
import { join } from 'node:path';

export const resultsFolder = (root: string) => join(root, 'public', 'results');
