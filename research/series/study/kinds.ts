// Which kinds of linear layers contain the hack: for a route (update) run's whole update and for its quarantine, the share of the squared
// norm in each kind. With the SVD adapter ‖ΔW‖² = ‖δS‖², so norms of kinds are comparable.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { LINEARS, type LinearRole } from '../../../src/engine/weight-names.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import { percent } from '../../../src/lib/numbers.ts';
import type { SafetensorsFile } from '../../../src/storage/safetensors.ts';

/** Sums over the linear layers of a kind. */
export interface KindNorms {
  role: LinearRole;
  modules: number;
  /** Number of adapter parameters, which are singular directions. */
  parameters: number;
  /** Squared norm of the whole update, and of the quarantine, which is not deployed. */
  whole: number;
  quarantine: number;
}

const DEPLOYED = 'δS/';
const QUARANTINE = 'δS_hack/';

/** Reads a checkpoint in the format of `run --out`. Throws FormatError for a file without a quarantine. */
export async function kindNorms(file: SafetensorsFile): Promise<KindNorms[]> {
  const names = [...file.tensors.keys()].filter((name) => name.startsWith(DEPLOYED)).map((name) => name.slice(3));
  if (!file.tensors.has(QUARANTINE + names[0]))
    throw new FormatError(`${file.label} has no quarantine.`, 'Give the checkpoint of a routing run.');
  const kinds = LINEARS.map((role): KindNorms => ({ role, modules: 0, parameters: 0, whole: 0, quarantine: 0 }));
  for (const name of names) {
    const kind = kinds.find(({ role }) => name.endsWith(`.${role}`))!;
    const [kept, apart] = [await file.readF32(DEPLOYED + name), await file.readF32(QUARANTINE + name)];
    kind.modules++;
    kind.parameters += kept.length;
    for (const [i, x] of apart.entries()) {
      kind.quarantine += x * x;
      kind.whole += (kept[i] + x) ** 2;
    }
  }
  return kinds.filter(({ modules }) => modules > 0);
}

/** One row per kind; shares are means over runs, with their spread. */
export function kindsTable(title: string, runs: readonly (readonly KindNorms[])[]) {
  const shares = (of: 'parameters' | 'whole' | 'quarantine') =>
    runs.map((kinds) => {
      const all = kinds.reduce((sum, kind) => sum + kind[of], 0);
      return kinds.map((kind) => kind[of] / all);
    });
  const [parameters, whole, quarantine] = (['parameters', 'whole', 'quarantine'] as const).map(shares);
  const rows = runs[0].map(({ role, modules }, i) => ({ role, modules, i }));
  return tableOf(
    title,
    rows,
    [
      ['Linear', ({ role }) => role],
      ['modules', ({ modules }) => String(modules)],
      ['parameters', ({ i }) => parameters[0][i]],
      ['whole update', ({ i }) => whole.map((each) => each[i])],
      ['quarantine', ({ i }) => quarantine.map((each) => each[i])],
      ['quarantine : whole', ({ i }) => runs.map((kinds) => kinds[i].quarantine / kinds[i].whole)],
    ],
    percent,
  );
}
