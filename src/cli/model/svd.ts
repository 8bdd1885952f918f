// `svd`: singular vectors of every Linear of a model, computed once and kept, with the figures of each matrix.

import { adapterLayout } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import type { AdapterModule } from '../../engine/types.ts';
import { type Device, put, readFloats } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { oneOf, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { openDevice } from '../ports.node.ts';
import { renderTable } from '../table.ts';
import { CACHE_FLAG, keepInto, MODEL_FLAGS, readModel } from './folder.ts';

/** Largest ‖W − U Σ Vh‖ / ‖W‖ of factors in f32; a healthy one is about 1e-6. */
const TOLERANCE = 1e-5;

const usage = {
  name: 'svd',
  summary: 'Factors every Linear of a model (W = U Σ Vh) and keeps the factors for later runs.',
  flags: {
    ...MODEL_FLAGS,
    cache: CACHE_FLAG,
    ...deviceFlags('What to compute on; each kind keeps its own factors.'),
    method: oneOf(
      ['auto', 'pairs', 'blocks'],
      'Jacobi on single pairs of vectors or on pairs of blocks; auto takes blocks where a matrix is large. Each keeps its own factors.',
      'auto',
    ),
    json: toggle('Print one record a Linear as JSON.'),
  },
  notes: `Stopped, it goes on from what is kept. Exit code 1 where ‖W − U Σ Vh‖ / ‖W‖ of a Linear is above ${TOLERANCE.toExponential(0)}.`,
} as const;

interface Row {
  module: string;
  dOut: number;
  dIn: number;
  /** Singular values above 2^-23 · r · the largest. */
  rank: number;
  largest: number;
  smallest: number;
  /** ‖W − U Σ Vh‖ / ‖W‖ */
  error: number;
  found: boolean;
}

export const svd = command(usage, async ({ flags }, context) => {
  const { out, progress, signal } = context;
  const { folder, files } = await readModel(flags, context);
  const { device, report } = await openDevice(flags, progress);
  const rows: Row[] = [];
  try {
    const method = flags.method === 'auto' ? undefined : flags.method;
    const { reader, found } = await keepInto(flags.cache, device, files, context, method);
    const there = new Set(found);
    const { modules } = adapterLayout(files.config);
    for (const module of modules) {
      signal.throwIfAborted();
      const { data: w } = await files.weights.read(`${module.name}.weight`);
      rows.push(await rowOf(device, module, w, await reader.read(module), there.has(module.name)));
      progress.update('checking', rows.length, modules.length);
    }
  } finally {
    progress.end();
    device.destroy();
  }
  const worst = Math.max(...rows.map(({ error }) => error));
  if (flags.json) out(JSON.stringify({ model: folder, sha256: files.sha256, device: report, modules: rows }, null, 2));
  else print(out, rows, worst);
  if (worst <= TOLERANCE) return EXIT.ok;
  const beyond = rows.filter(({ error }) => !(error <= TOLERANCE)).map(({ module }) => module);
  progress.note(
    `${beyond.length} of ${rows.length} Linears have an error above ${TOLERANCE.toExponential(0)} (the largest is ${worst.toExponential(1)}): ${beyond.slice(0, 3).join(', ')}${beyond.length > 3 ? ', …' : ''}.`,
  );
  progress.note('Try --method blocks or --device cpu; where the files were damaged, an empty --cache folder.');
  return EXIT.failed;
});

async function rowOf(
  device: Device,
  { name, dOut, dIn, r }: AdapterModule,
  w: Float32Array,
  { U, S, Vh }: Factors,
  found: boolean,
): Promise<Row> {
  const scaled = Float32Array.from(Vh, (x, i) => -S[Math.floor(i / dIn)] * x);
  const buffers = [put(device, U, 'u'), put(device, scaled, 'diag(−σ) vh'), put(device, w, 'residual')];
  const [a, b, c] = buffers;
  ops.matmul(device, { a, b, c, m: dOut, n: dIn, k: r, beta: 1 });
  const residual = await readFloats(device, c);
  for (const buffer of buffers) buffer.free();
  const norm = (x: ArrayLike<number>) => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * x[i];
    return Math.sqrt(sum);
  };
  const [largest, smallest] = [S[0], S[r - 1]];
  const whole = norm(w);
  return {
    module: name,
    dOut,
    dIn,
    largest,
    smallest,
    found,
    rank: S.filter((s) => s > 2 ** -23 * r * largest).length,
    error: whole === 0 ? norm(residual) : norm(residual) / whole,
  };
}

function print(out: (text: string) => void, rows: readonly Row[], worst: number): void {
  out(
    renderTable(
      ['Linear', 'dOut × dIn', 'rank', 'σ largest', 'σ smallest', 'error', ''],
      rows.map(({ module, dOut, dIn, rank, largest, smallest, error, found }) => [
        module,
        `${dOut} × ${dIn}`,
        String(rank),
        largest.toPrecision(4),
        smallest.toPrecision(4),
        error.toExponential(1),
        found ? 'kept' : 'new',
      ]),
      (column) => column > 0 && column < 6,
    ),
  );
  out(`largest error ${worst.toExponential(1)} (${TOLERANCE.toExponential(0)} is allowed)`);
}
