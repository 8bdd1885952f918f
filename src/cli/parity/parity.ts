// `parity DIR`: compares the engine and the method with a float64 reference's tensors, on the device asked for.

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Device } from '../../kernels/device.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { openDevice } from '../ports.node.ts';
import { renderTable } from '../table.ts';
import { type Check, checkFolder } from './oracle-checks.ts';

const usage = {
  name: 'parity',
  summary: 'Compares every tensor of a reference folder (or of each folder below DIR) with what the engine computes.',
  positional: ['DIR'],
  flags: {
    ...deviceFlags('What to compute on.'),
    json: toggle('Print every comparison as JSON.'),
    verbose: toggle('Print every comparison, not only each fixture’s worst and what failed.'),
  },
  notes: 'Exit code 1 when anything is outside its tolerance.',
} as const;

type FixtureCheck = Check & { fixture: string };

export const parity = command(usage, async ({ flags, positional }, { out, progress, signal }) => {
  const folders = await fixtureFolders(positional[0]);
  const { device, report } = await openDevice(flags, progress);
  const checks: FixtureCheck[] = [];
  for (const [i, { name, path }] of folders.entries()) {
    signal.throwIfAborted();
    const found = await checkFolder(device, diskSource(path), (what) =>
      progress.update(`${name}, ${what}`, i, folders.length),
    );
    checks.push(...found.map((check) => ({ fixture: name, ...check })));
  }
  progress.end();
  const failed = checks.filter(({ ok }) => !ok);
  if (flags.json)
    out(
      JSON.stringify({ device: report, passed: checks.length - failed.length, failed: failed.length, checks }, null, 2),
    );
  else print(out, checks, failed, device, flags.verbose);
  return failed.length ? EXIT.failed : EXIT.ok;
});

function print(
  out: (text: string) => void,
  checks: FixtureCheck[],
  failed: FixtureCheck[],
  device: Device,
  verbose: boolean,
): void {
  const head = ['fixture', 'vectors', 'quantity', 'error', 'tolerance', ''];
  const row = ({ fixture, vectors, quantity, error, tolerance, ok }: FixtureCheck) => [
    fixture,
    vectors,
    quantity,
    error.toExponential(1),
    tolerance.toExponential(0),
    ok ? 'ok' : 'FAILED',
  ];
  // For each fixture and basis, the comparison that is nearest to its tolerance.
  const nearest = new Map<string, FixtureCheck>();
  for (const check of checks) {
    const key = `${check.fixture} ${check.vectors}`;
    const share = (c: FixtureCheck) => (c.tolerance > 0 ? c.error / c.tolerance : c.error);
    const known = nearest.get(key);
    if (!known || share(check) > share(known)) nearest.set(key, check);
  }
  const shown = verbose ? checks : [...new Set([...nearest.values(), ...failed])];
  out(renderTable(head, shown.map(row), (column) => column === 3 || column === 4));
  if (!verbose) out('(the comparison nearest to its tolerance of each; --verbose shows all)');
  out(`${checks.length - failed.length} of ${checks.length} comparisons within tolerance on ${device.name}`);
}

async function fixtureFolders(dir: string): Promise<{ name: string; path: string }[]> {
  const path = resolve(dir);
  let names: string[];
  try {
    names = await readdir(path);
  } catch {
    throw new FormatError(`${dir} is no folder that can be read.`, 'Name a folder of reference tensors.');
  }
  if (names.includes('expected.safetensors')) return [{ name: path.split(/[\\/]/).at(-1) ?? dir, path }];
  const folders = [];
  for (const name of names.sort()) {
    const inner = await readdir(join(path, name)).catch((): string[] => []);
    if (inner.includes('expected.safetensors')) folders.push({ name, path: join(path, name) });
  }
  if (folders.length === 0)
    throw new FormatError(`${dir} holds no folder with expected.safetensors.`, 'Name a folder of reference tensors.');
  return folders;
}
