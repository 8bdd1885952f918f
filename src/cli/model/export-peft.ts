// `export --format peft` writes what a run trained as a LoRA adapter for PEFT, without the base's weights. The adapter is exact if its rank
// suffices; --rank cuts it to the best LoRA of that rank and states the error.
import { basename } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { type LowRank, stacked, updatesOf } from '../../engine/adapters/low-rank.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import { errorShare } from '../../lib/numbers.ts';
import { RECORD, readRecord } from '../../storage/model-store.ts';
import { readPeftAdapter } from '../../storage/peft/adapter.ts';
import { type AdapterDType, peftFiles, type WrittenAdapter } from '../../storage/peft/write.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { CommandContext } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { adapterParamsOf } from '../files/checkpoint.node.ts';
import { adapterSource } from './adapter.ts';
import { type ExportSource, openOrigin, openRunDevice } from './export-source.ts';
import { keepInto, openModel } from './folder.ts';

export interface ExportedAdapter extends WrittenAdapter {
  origin: Readonly<Record<string, string>>;
}

/** Throws SpecError without a run, or where the update is no LoRA. */
export async function openPeftExport(
  source: ExportSource,
  { rank, dtype }: { rank: number | null; dtype: AdapterDType },
  context: CommandContext,
): Promise<ExportedAdapter> {
  const { progress, signal } = context;
  const part = source.weights ?? 'trained';
  if (source.run === null || part === 'base')
    throw new SpecError(
      '--format peft writes what a run trained, and no run’s weights are named.',
      'Give --run DIR, with --weights trained, deployed or quarantine.',
    );
  const { opened, run, origin } = await openOrigin(source, context);
  const { files, folder } = opened;
  const { checkpoint, storage } = run!;
  const settings = withDefaults(checkpoint.spec);
  const layout = adapterLayout(files.config, settings);
  const trained = adapterParamsOf(checkpoint, 'trained', layout.total);
  const deployed = adapterParamsOf(checkpoint, 'deployed', layout.total);
  const linears = adapterLayout(files.config).modules.map(({ name }) => name);
  const others = layout.modules.filter(({ name, offset, r }) => {
    const moved = (of: Float32Array) => of.subarray(offset, offset + r).some((x) => x !== 0);
    return !linears.includes(name) && moved(trained);
  });
  if (others.length > 0)
    throw new SpecError(
      `${others.length} trained weights are no Linears and cannot be in a LoRA: ${others
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}${others.length > 3 ? ', …' : ''}.`,
      'Give --format hf.',
    );
  if (storage !== 'f32')
    progress.note(
      `The run’s frozen weights were stored as ${storage}: with other weights its adapter gives slightly different answers.`,
    );
  const device = await openRunDevice(source, run!, context);
  try {
    const isSvd = settings.adapter === 'svd';
    const reader = isSvd ? (await keepInto(source.cache, device, files, context)).reader : null;
    const own = updatesOf(
      {
        layout,
        adapter: settings.adapter,
        trained,
        deployed,
        ...(reader && { factors: (module) => reader.read(module) }),
      },
      part,
    );
    // An adapter that was folded into the base before the run is part of the model that it trained, so the exported one is of the bare
    // base.
    const { continues } = opened;
    const before = part === 'quarantine' || continues ? null : await foldedBefore(source, folder, context);
    const written = await peftFiles({
      modules: layout.modules.filter(({ name }) => linears.includes(name)),
      layers: files.config.layers,
      updates: async (module) => {
        const update = await own(module);
        const begun = (await before?.factors(module.name)) ?? null;
        if (begun === null || (update !== null && 'whole' in update)) return update;
        return stacked(module, [update, begun]);
      },
      device,
      rank,
      dtype,
      base: await baseName(folder),
      metadata: metadataOf(origin, before?.sha256 ?? continues?.baseSha256 ?? null),
      async onModule(done, total) {
        progress.update('updates', done, total);
        await yieldToEvents();
        if (signal.aborted) throw new StoppedError('stopped', 'Start it again: nothing was written.');
      },
    });
    return { ...written, origin };
  } finally {
    progress.end();
    device.destroy();
  }
}

/** Factors of the adapter that was folded into the base before the run, and the sha-256 of the bare base; null if there was none. */
async function foldedBefore(
  { adapter }: ExportSource,
  folder: string,
  context: CommandContext,
): Promise<{ sha256: string; factors(module: string): Promise<LowRank | null> } | null> {
  if (adapter === null) return null;
  const quiet = { ...context, progress: { ...context.progress, note: () => {} } };
  const { files } = await openModel({ model: folder, adapter: null }, quiet);
  const { updates } = await readPeftAdapter(await adapterSource(adapter, quiet), files);
  return {
    sha256: files.sha256,
    async factors(module) {
      const update = updates.get(module);
      if (!update) return null;
      const { a, b } = await update.factors();
      return { r: update.r, a, b: Float64Array.from(b, (x) => update.scale * x), sigma: null };
    },
  };
}

/** The lab's own metadata, by which its reader identifies the base. */
function metadataOf(origin: ExportedAdapter['origin'], bareSha256: string | null): Record<string, string> {
  const { model_sha256, run, step, weights } = origin;
  return { model_sha256: bareSha256 ?? model_sha256, run, step, weights };
}

/** The Hub's id if the folder has a record of its download, else the folder's name, since a path of this machine is of no use elsewhere. */
async function baseName(folder: string): Promise<string> {
  const record = await (await diskSource(folder).read(RECORD))?.text();
  const origin = record === undefined ? null : readRecord(record, '')?.origin;
  return origin?.kind === 'hub' ? origin.repo : basename(folder);
}

/** Notes for a person on the file: its error, vLLM's flag, and whether whole weights would be smaller. */
export function peftLines({ r, exact, relativeError, maxLoraRank, modules, numbers }: WrittenAdapter): string[] {
  const cut = modules.filter((module) => module.relativeError > 0);
  return [
    `LoRA of rank ${r}, ${modules.length} Linears, ${exact ? 'exact' : `relative error ${errorShare(relativeError.all)} of ΔW in all, ${errorShare(relativeError.worst)} at most (${relativeError.module})`}.`,
    ...cut.map(
      (module) => `  ${module.module}  rank ${module.rank}, relative error ${module.relativeError.toPrecision(4)}`,
    ),
    maxLoraRank === null
      ? `vLLM takes no adapter of rank ${r}; 512 is its most.`
      : `vLLM needs --max-lora-rank ${maxLoraRank}${maxLoraRank <= 16 ? ' or more (16 without the flag)' : ''}.`,
    ...(numbers.file > numbers.linears
      ? [
          `The file has ${numbers.file} numbers, the Linears themselves ${numbers.linears}: --rank K or --format hf is smaller.`,
        ]
      : []),
  ];
}
