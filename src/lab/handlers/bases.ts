// The worker's handlers for hack bases and pair sets: a part of the table in handlers.ts.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { ExtractionRequest, PairsRequest } from '../protocol/bases.ts';
import { nameOfFile } from '../records/pairs.ts';
import type { HandlerParts } from '../work/parts.ts';

// Few visits view or extract bases, so their code is loaded on demand.
const pairSets = () => import('../../environments/pair-sets.ts');
const loadExtraction = () => import('../bases/extract.ts');
const loadBasisComparison = () => import('../../algorithms/basis-compare.ts');

export function createBasisHandlers({ lab, equipped, target, gate, emit }: HandlerParts) {
  /** Stored experiments that name a pair set could not be resumed or exported without it. */
  const isNamed = async (id: string) =>
    (await (await lab()).records.experiments()).some(({ spec }) => spec.overrides.pairSet === id);
  return {
    /** Validates a basis and stores it. */
    async saveBasis({ file, name }: { file: Blob; name: string }) {
      const { records } = await lab();
      return records.bases.saveFile(new Uint8Array(await file.arrayBuffer()), name, await target());
    },
    listBases: async () => (await lab()).records.bases.list(),
    async loadBasis({ id }: { id: string }) {
      const bytes = await (await lab()).records.bases.bytes(id);
      return bytes && new Blob([bytes]);
    },
    async deleteBasis({ id }: { id: string }) {
      await (await lab()).records.bases.delete(id);
      return null;
    },
    listPairSets: async () => (await lab()).records.pairSets.list(),
    /** The requested pairs of a built-in set or of the user's own. */
    loadPairs: async (request: PairsRequest) =>
      (await loadExtraction()).requestedPairs(request, (await lab()).records.pairSets),
    /** Stores a set by its content. `replaces`: the set that was edited, which is deleted unless a stored run names it. */
    async savePairs({ name, pairs, replaces }: { name: string; pairs: ContrastivePair[]; replaces: string | null }) {
      const { pairSets } = (await lab()).records;
      const report = await pairSets.save(name, pairs);
      if (replaces !== null && replaces !== report.id && !(await isNamed(replaces))) await pairSets.delete(replaces);
      return report;
    },
    async deletePairs({ id }: { id: string }) {
      await (await lab()).records.pairSets.delete(id);
      return null;
    },
    /** Imports a JSON array of {prompt, hack, clean}. */
    async importPairs({ file, name }: { file: Blob; name: string }) {
      const { pairsFromJson } = await pairSets();
      let pairs: ReturnType<typeof pairsFromJson>;
      try {
        pairs = pairsFromJson(await file.text());
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        throw new FormatError(`${name}: ${error.message}.`, error.remedy, { cause: error });
      }
      return (await lab()).records.pairSets.save(nameOfFile(name), pairs);
    },
    /** Extracts on the untrained model and stores the result. Refused while an experiment runs, and ended when one starts. */
    async extractBasis({ task, settings, name }: { task: string; settings: ExtractionRequest; name: string }) {
      const { records } = await lab();
      const { extractRequested, requestedPairs } = await loadExtraction();
      return gate.task(task, async (signal) => {
        const tools = await equipped(settings, signal);
        const pairs = await requestedPairs(settings, records.pairSets, tools.model.id);
        const { info, raw, votes } = await extractRequested(settings, pairs, tools, signal, (done, total) =>
          emit({ type: 'extraction', task, done, total }),
        );
        const pairSetName =
          (await records.pairSets.nameOf(settings.pairSet)) ?? builtInPairSet(settings.pairSet)?.label;
        const origins = { ...settings, pairs: pairs.length, pairSetName: pairSetName ?? settings.pairSet };
        return records.bases.saveRequested(info, raw, await target(), { name, origins, votes });
      });
    },
    async basisAxes({ id }: { id: string }) {
      const model = await target();
      const { axesOf } = await loadExtraction();
      return axesOf(id, await (await lab()).records.bases.open(id, model), model.layout);
    },
    /** Similarity of the first k axes of two bases. */
    async compareBases({ a, b, k }: { a: string; b: string; k: number }) {
      const { bases } = (await lab()).records;
      const model = await target();
      const [first, second] = [await bases.open(a, model), await bases.open(b, model)];
      const { compareBases } = await loadBasisComparison();
      return compareBases(
        first.raw,
        second.raw,
        model.layout.modules.map(({ name }) => name),
        k,
      );
    },
  };
}
