// The name of the folder of published results, in a module below those that read and write it.
import { join } from 'node:path';

export const resultsFolder = (root: string) => join(root, 'public', 'results');
