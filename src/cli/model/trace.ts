// `trace`: a series of LoRA adapters of one base, as a training saved them: how far each is from the base, how much it moved since the one
// before, how its direction turned, and what of it lies in a hack basis of that base. No model is run.
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import type { LowRank } from '../../engine/adapters/low-rank.ts';
import { innerProduct, onDirections } from '../../engine/adapters/update-geometry.ts';
import type { AdapterModule } from '../../engine/types.ts';
import { type ModuleBasis, readBasisFile } from '../../storage/basis-file.ts';
import { ADAPTER_CONFIG, adapterLine, type LoraUpdate, readPeftAdapter } from '../../storage/peft/adapter.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { text, toggle } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { openDevice } from '../ports.node.ts';
import { renderTable } from '../table.ts';
import { adapterSource } from './adapter.ts';
import { CACHE_FLAG, keepInto, readModel } from './folder.ts';

const usage = {
  name: 'trace',
  summary: 'Follows a series of LoRA adapters of PEFT: norm, drift, and overlap with a hack basis of their base.',
  positional: ['BASE', 'ADAPTER', '[ADAPTER…]'],
  flags: {
    basis: text('FILE', 'A hack basis of BASE (`extract`): how much of each update lies in it.', null),
    cache: CACHE_FLAG,
    ...deviceFlags('What factors BASE, with --basis.'),
    json: toggle('Print one record an adapter as JSON.'),
  },
  notes: [
    'ADAPTER is a folder, OWNER/NAME[@REVISION] of the Hub, or a folder of checkpoint-N folders, which are taken in the order of N.',
    'norm: ‖ΔW‖ over all Linears. moved: ‖ΔW − ΔW of the one before‖. cos before, cos last: of the angle to the update before, and to the last.',
    'on directions: share of ‖ΔW‖² on the singular directions of BASE, which a δS can express. in basis: share of that in the basis; by chance:',
    'what a random update with the same share in each Linear would have there.',
  ].join('\n'),
} as const;

interface Row {
  adapter: string;
  r: number;
  modules: number;
  norm: number;
  moved: number | null;
  cosBefore: number | null;
  cosLast: number;
  basis: { onDirections: number; inBasis: number; byChance: number } | null;
}

interface Point {
  name: string;
  r: number;
  updates: ReadonlyMap<string, LoraUpdate>;
}

export const trace = command(usage, async ({ flags, positional }, context) => {
  const [base, ...given] = positional;
  const { progress } = context;
  const { files } = await readModel({ model: base, adapter: null }, context);
  const points: Point[] = [];
  for (const one of (await Promise.all(given.map(expanded))).flat()) {
    const adapter = await readPeftAdapter(await adapterSource(one, context), files);
    progress.note(adapterLine(adapter));
    points.push({ name: nameOf(one), r: adapter.facts.r, updates: adapter.updates });
  }
  const layout = adapterLayout(files.config);
  const found = flags.basis === null ? null : await diskFile(resolve(flags.basis));
  if (flags.basis !== null && !found)
    throw new SpecError(`--basis ${flags.basis}: there is no such file.`, 'Extract one.');
  const basis = found && (await readBasisFile(found, layout, { label: flags.basis!, modelSha256: files.sha256 }));
  for (const warning of basis?.warnings ?? []) progress.note(`Basis: ${warning}`);
  const opened = basis && (await openDevice(flags, progress));
  try {
    const reader = opened && (await keepInto(flags.cache, opened.device, files, context)).reader;
    const sums = points.map(() => new Sums());
    const linears = new Map(layout.modules.map((module) => [module.name, module]));
    // An untied head may be adapted too, and is no Linear of the layout.
    const names = [...new Set(points.flatMap(({ updates }) => [...updates.keys()]))];
    for (const [at, name] of names.entries()) {
      progress.update('Linears', at, names.length);
      await yieldToEvents();
      if (context.signal.aborted) throw new StoppedError('stopped', 'Start it again.');
      const module = linears.get(name);
      const factors = module && reader ? await reader.read(module) : null;
      const updates = await Promise.all(points.map(({ updates: of }) => held(of.get(name))));
      addAngles(updates, sizesOf(points, name), sums);
      if (module && factors)
        updates.forEach((update, t) => {
          if (update) sums[t].addBasis(onDirections(module, update, factors), basis?.modules.get(name));
        });
    }
    progress.end();
    print(
      points.map((point, t) => rowOf(point, t, sums, basis !== null)),
      flags.json,
      context,
    );
    return EXIT.ok;
  } finally {
    opened?.device.destroy();
  }
});

/** A folder of checkpoints as its checkpoints. */
async function expanded(given: string): Promise<string[]> {
  const names = await readdir(resolve(given)).catch((): string[] => []);
  if (names.length === 0 || names.includes(ADAPTER_CONFIG)) return [given];
  const steps = names.flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return steps.length === 0 ? [given] : steps.sort((a, b) => a - b).map((step) => join(given, `checkpoint-${step}`));
}

const nameOf = (given: string): string => (given.includes('@') ? given : basename(resolve(given)));

async function held(update: LoraUpdate | undefined): Promise<LowRank | null> {
  if (!update) return null;
  const { a, b } = await update.factors();
  return { r: update.r, a, b: Float64Array.from(b, (x) => update.scale * x), sigma: null };
}

const sizesOf = (points: readonly Point[], name: string): Pick<AdapterModule, 'dOut' | 'dIn'> =>
  points.find(({ updates }) => updates.has(name))!.updates.get(name)!;

/** Sums over the Linears for one adapter of the series. */
class Sums {
  norm2 = 0;
  /** Inner products with the update before, and with the last. */
  before = 0;
  last = 0;
  /** Σ p², Σ of its part in the basis, and that of a random p with the same norm. */
  directions2 = 0;
  basis2 = 0;
  chance2 = 0;

  /** `basis` is absent where the Linear has no axis. */
  addBasis(p: Float64Array, basis: ModuleBasis | undefined): void {
    const size = p.reduce((sum, x) => sum + x * x, 0);
    this.directions2 += size;
    if (!basis) return;
    const { V, k, r } = basis;
    let axes = 0;
    for (let i = 0; i < k; i++) {
      const row = V.subarray(i * r, (i + 1) * r);
      if (row.every((x) => x === 0)) continue;
      axes++;
      this.basis2 += row.reduce((sum, x, j) => sum + x * p[j], 0) ** 2;
    }
    this.chance2 += (axes / r) * size;
  }
}

function addAngles(
  updates: readonly (LowRank | null)[],
  sizes: Pick<AdapterModule, 'dOut' | 'dIn'>,
  sums: readonly Sums[],
): void {
  const last = updates.at(-1) ?? null;
  updates.forEach((update, t) => {
    if (!update) return;
    const before = updates[t - 1] ?? null;
    sums[t].norm2 += innerProduct(sizes, update, update);
    if (before) sums[t].before += innerProduct(sizes, update, before);
    if (last) sums[t].last += innerProduct(sizes, update, last);
  });
}

function rowOf({ name, r, updates }: Point, t: number, sums: readonly Sums[], hasBasis: boolean): Row {
  const own = sums[t];
  const before = t === 0 ? null : sums[t - 1];
  const cosine = (product: number, other: Sums) =>
    own.norm2 === 0 || other.norm2 === 0 ? 0 : product / Math.sqrt(own.norm2 * other.norm2);
  const share = (part: number, of: number) => (of === 0 ? 0 : part / of);
  return {
    adapter: name,
    r,
    modules: updates.size,
    norm: Math.sqrt(own.norm2),
    moved: before && Math.sqrt(Math.max(0, own.norm2 + before.norm2 - 2 * own.before)),
    cosBefore: before && cosine(own.before, before),
    cosLast: cosine(own.last, sums[sums.length - 1]),
    basis: hasBasis
      ? {
          onDirections: share(own.directions2, own.norm2),
          inBasis: share(own.basis2, own.directions2),
          byChance: share(own.chance2, own.directions2),
        }
      : null,
  };
}

function print(rows: readonly Row[], asJson: boolean, { out }: Pick<CommandContext, 'out'>): void {
  if (asJson) {
    out(JSON.stringify(rows, null, 2));
    return;
  }
  const shown = (value: number | null) => (value === null ? '–' : value.toPrecision(4));
  const hasBasis = rows.some(({ basis }) => basis !== null);
  const head = ['adapter', 'r', 'Linears', 'norm', 'moved', 'cos before', 'cos last'];
  out(
    renderTable(
      [...head, ...(hasBasis ? ['on directions', 'in basis', 'by chance'] : [])],
      rows.map(({ adapter, r, modules, norm, moved, cosBefore, cosLast, basis }) => [
        ...[adapter, String(r), String(modules), shown(norm), shown(moved), shown(cosBefore), shown(cosLast)],
        ...(basis ? [shown(basis.onDirections), shown(basis.inBasis), shown(basis.byChance)] : []),
      ]),
      (column) => column > 0,
    ),
  );
}
