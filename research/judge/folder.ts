// The folder of published results has its name here, below the modules that read it and those that write it.
import { join } from 'node:path';

export const resultsFolder = (root: string) => join(root, 'public', 'results');
