// How probes are kept: store.ts has the records, file.ts the zip.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { checkWords } from '../../records/words.ts';
import type { Repository, RepositoryPorts } from '../repository.ts';
import { isProbe, REPORT } from './mark.ts';

/** Probes are packed and read with the first that is. */
const files = () => import('./file.ts');

export function createProbeRepository({ lab, isProbing }: RepositoryPorts): Repository<'probe'> {
  const probes = async () => (await lab()).records.probes;
  return {
    list: async () => (await probes()).list(),
    load: async (id) => (await probes()).load(id),
    async annotate(id, changes) {
      const { interrupted: _, ...words } = checkWords(changes);
      return (await probes()).change(id, words);
    },
    async delete(id) {
      if (isProbing(id)) throw new SpecError('This probe is at work.', 'Stop it first.');
      await (await probes()).delete(id);
    },
    export: async (id) => (await files()).writeProbe(await (await probes()).load(id)),
    mark: REPORT,
    recognises: isProbe,
    import: async (given, label) => (await probes()).add(await (await files()).readProbe(given, label)),
  };
}
