// The table of kinds of this layer: how each is kept.

import { createProbeRepository } from './probe/repository.ts';
import type { Repositories, RepositoryPorts } from './repository.ts';
import { createRunRepository } from './run/repository.ts';

export function createRepositories(ports: RepositoryPorts): Repositories {
  return { run: createRunRepository(ports), study: null, probe: createProbeRepository(ports) };
}
