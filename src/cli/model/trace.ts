// `trace`: a series of LoRA adapters of one base, as a training saved them: how far each is from the base, how much it moved since the one
// before, how its direction turned, what of it lies in a hack basis of that base, and how it answers a file of problems with checks. No model
// is run where no problems are given.
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { refuseFile } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import type { LowRank } from '../../engine/adapters/low-rank.ts';
import { innerProduct, onDirections } from '../../engine/adapters/update-geometry.ts';
import type { AdapterModule } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import { type ModuleBasis, readBasisFile } from '../../storage/basis-file.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import {
  ADAPTER_CONFIG,
  adapterLine,
  type LoraUpdate,
  type PeftAdapter,
  readPeftAdapter,
} from '../../storage/peft/adapter.ts';
import { adaptedFiles } from '../../storage/peft/fold.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { openDevice, writeWhole } from '../ports.node.ts';
import { renderTable } from '../table.ts';
import { adapterSource } from './adapter.ts';
import { CACHE_FLAG, keepInto, readModel } from './folder.ts';
import { refuseUnused } from './prompts.ts';
import { ANSWER_FLAGS, type Answered, Answers } from './trace-answers.ts';
import { type Row, traceSvg } from './trace-picture.ts';

const usage = {
  name: 'trace',
  summary:
    'Follows a series of LoRA adapters of PEFT: norm, drift, overlap with a hack basis, and answers to problems.',
  positional: ['BASE', 'ADAPTER', '[ADAPTER…]'],
  flags: {
    basis: text('FILE', 'A hack basis of BASE (`extract`): how much of each update lies in it.', null),
    ...ANSWER_FLAGS,
    cache: CACHE_FLAG,
    ...deviceFlags('What factors BASE (--basis) and answers (--problems).'),
    out: text('FILE', 'Write the picture of the series there (.svg).', null),
    json: toggle('Print one record an adapter as JSON.'),
  },
  notes: [
    'ADAPTER is a folder, OWNER/NAME[@REVISION] of the Hub, or a folder of checkpoint-N folders, which are taken in the order of N.',
    'norm: ‖ΔW‖ over all Linears. moved: ‖ΔW − ΔW of the one before‖. cos before, cos last: of the angle to the update before, and to the last.',
    'on directions: share of ‖ΔW‖² on the singular directions of BASE, which a δS can express. in basis: share of that in the basis; by chance:',
    'what a random update with the same share in each Linear would have there.',
    'hack, solve, paid: shares of one answer to each problem, at temperature 1 and on the same random numbers for BASE and every adapter.',
  ].join('\n'),
} as const;

interface Point {
  name: string;
  adapter: PeftAdapter;
}

type Options = Values<typeof usage.flags>;

export const trace = command(usage, async ({ flags, positional }, context) => {
  const [base, ...given] = positional;
  const { progress } = context;
  if (flags.problems === null) refuseUnused(flags, 'no problems are answered');
  if (flags.out !== null) await refusePicture(flags.out);
  const { folder, files } = await readModel({ model: base, adapter: null }, context);
  const points: Point[] = [];
  for (const one of (await Promise.all(given.map(expanded))).flat()) {
    const adapter = await readPeftAdapter(await adapterSource(one, context), files);
    progress.note(adapterLine(adapter));
    points.push({ name: nameOf(one), adapter });
  }
  const basis = await basisOf(flags.basis, files, context);
  const answers = flags.problems === null ? null : await Answers.open(flags.problems, files, folder, flags, context);
  const opened = basis || answers ? await openDevice(flags, progress) : null;
  try {
    const sums = await sumsOf(points, files, basis, opened?.device ?? null, flags, context);
    const answered = answers && opened ? await answeredBy(answers, points, files, opened.device) : null;
    const rows = points.map((point, t) => rowOf(point, t, sums, basis !== null, answered?.each[t] ?? null));
    const traced = { rows, base: answered?.base ?? null };
    if (flags.out !== null) {
      await writeWhole(resolve(flags.out), traceSvg(traced, `${rows.length} adapters of ${basename(folder)}`));
      progress.note(`${flags.out}: the picture.`);
    }
    print(answered ? [baseRow(basename(folder), answered.base), ...rows] : rows, flags.json, context);
    return EXIT.ok;
  } finally {
    await answers?.close();
    opened?.device.destroy();
  }
});

/** Throws SpecError for a file that is there, or no SVG by its name. */
async function refusePicture(out: string): Promise<void> {
  if (!out.endsWith('.svg')) throw new SpecError(`--out ${out} is no .svg file.`, 'Name a file that ends in .svg.');
  await refuseFile(resolve(out), '--out');
}

/** Throws SpecError, FormatError. */
async function basisOf(
  path: string | null,
  { config, sha256 }: ModelFiles,
  { progress }: CommandContext,
): Promise<ReadonlyMap<string, ModuleBasis> | null> {
  if (path === null) return null;
  const found = await diskFile(resolve(path));
  if (!found) throw new SpecError(`--basis ${path}: there is no such file.`, 'Extract one.');
  const basis = await readBasisFile(found, adapterLayout(config), { label: path, modelSha256: sha256 });
  for (const warning of basis.warnings) progress.note(`Basis: ${warning}`);
  return basis.modules;
}

/** The sums of each adapter, one Linear after the other: the host never holds all factors. */
async function sumsOf(
  points: readonly Point[],
  files: ModelFiles,
  basis: ReadonlyMap<string, ModuleBasis> | null,
  device: Device | null,
  { cache }: Pick<Options, 'cache'>,
  context: CommandContext,
): Promise<Sums[]> {
  const { progress, signal } = context;
  const reader = basis && device ? (await keepInto(cache, device, files, context)).reader : null;
  const sums = points.map(() => new Sums());
  const linears = new Map(adapterLayout(files.config).modules.map((module) => [module.name, module]));
  // An untied head may be adapted too, and is no Linear of the layout.
  const names = [...new Set(points.flatMap(({ adapter }) => [...adapter.updates.keys()]))];
  for (const [at, name] of names.entries()) {
    progress.update('Linears', at, names.length);
    await yieldToEvents();
    if (signal.aborted) throw new StoppedError('stopped', 'Start it again.');
    const module = linears.get(name);
    const factors = module && reader ? await reader.read(module) : null;
    const updates = await Promise.all(points.map(({ adapter }) => held(adapter.updates.get(name))));
    addAngles(updates, sizesOf(points, name), sums);
    if (module && factors)
      updates.forEach((update, t) => {
        if (update) sums[t].addBasis(onDirections(module, update, factors), basis?.get(name));
      });
  }
  progress.end();
  return sums;
}

/** Traces the answers of the base and of each adapter on it. */
async function answeredBy(
  answers: Answers,
  points: readonly Point[],
  files: ModelFiles,
  device: Device,
): Promise<{ base: Answered; each: Answered[] }> {
  const base = await answers.of('the base', files, device);
  const each: Answered[] = [];
  for (const { name, adapter } of points) each.push(await answers.of(name, await adaptedFiles(files, adapter), device));
  return { base, each };
}

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
  points.find(({ adapter }) => adapter.updates.has(name))!.adapter.updates.get(name)!;

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

function rowOf(
  { name, adapter }: Point,
  t: number,
  sums: readonly Sums[],
  hasBasis: boolean,
  answers: Answered | null,
): Row {
  const own = sums[t];
  const before = t === 0 ? null : sums[t - 1];
  const cosine = (product: number, other: Sums) =>
    own.norm2 === 0 || other.norm2 === 0 ? 0 : product / Math.sqrt(own.norm2 * other.norm2);
  const share = (part: number, of: number) => (of === 0 ? 0 : part / of);
  return {
    adapter: name,
    r: adapter.facts.r,
    modules: adapter.updates.size,
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
    answers,
  };
}

/** The base beside its adapters, where it answers too. */
const baseRow = (adapter: string, answers: Answered): Row => ({
  adapter,
  r: 0,
  modules: 0,
  norm: 0,
  moved: null,
  cosBefore: null,
  cosLast: null,
  basis: null,
  answers,
});

function print(rows: readonly Row[], asJson: boolean, { out }: Pick<CommandContext, 'out'>): void {
  if (asJson) {
    out(JSON.stringify(rows, null, 2));
    return;
  }
  const head = ['adapter', 'r', 'Linears', 'norm', 'moved', 'cos before', 'cos last'];
  const hasBasis = rows.some(({ basis }) => basis !== null);
  const ofBasis = hasBasis ? ['on directions', 'in basis', 'by chance'] : [];
  const ofAnswers = rows.some(({ answers }) => answers !== null) ? ['hack', 'solve', 'paid'] : [];
  out(
    renderTable(
      [...head, ...ofBasis, ...ofAnswers],
      rows.map(({ adapter, r, modules, norm, moved, cosBefore, cosLast, basis, answers }) => [
        ...[adapter, String(r), String(modules), shown(norm), shown(moved), shown(cosBefore), shown(cosLast)],
        ...ofBasis.map((_, i) => shown(basis && [basis.onDirections, basis.inBasis, basis.byChance][i])),
        ...(answers ? [shown(answers.hack), shown(answers.solve), shown(answers.paid)] : []),
      ]),
      (column) => column > 0,
    ),
  );
}

const shown = (value: number | null): string => (value === null ? '–' : value.toPrecision(4));
