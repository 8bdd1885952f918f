// "Copy as command": the command line reads the page's command as the same experiment.
import { describe, expect, it } from 'vitest';
import { type ExperimentSpec, parseExperimentSpec } from '../../experiments/config/spec.ts';
import { asCommand, commandText, pythonText } from '../../lab/records/as-command.ts';
import { parseArgs } from '../args.ts';
import { specOf } from './flags.ts';
import { run } from './run.ts';

const read = (spec: ExperimentSpec) => {
  const { flags } = parseArgs(run.usage, asCommand(spec).args);
  return specOf(flags as unknown as Parameters<typeof specOf>[0], null);
};

describe('a run as a command', () => {
  it.each([
    [{ preset: 'demo' }],
    [{ preset: 'classic', arms: ['none', 'route-update'], seeds: [41, 42], device: 'cpu' }],
    [{ preset: 'smoke', overrides: { steps: 3, lr: 0.02, modes: ['run_tests', 'sentinel'], pairModes: [] } }],
    [{ preset: 'smoke', overrides: { preserveMagnitude: false, mix: 0, gate: 'no_gate' } }],
    [{ preset: 'smoke', overrides: { environment: 'lookup', model: 'tiny-lookup' } }],
  ] as const)('%j is read back as itself', (given) => {
    const spec = parseExperimentSpec(given as unknown as Parameters<typeof parseExperimentSpec>[0]);
    expect(read(spec)).toEqual(spec);
  });

  it('of a fork names its parent, and every setting that is not the parent’s', () => {
    const parent = { preset: 'smoke', arm: 'none', overrides: { lr: 0.02, klBeta: 0.1 } } as const;
    const fork = { run: 'x/none/41', step: 2, seed: 41, ...parent };
    const given = { preset: 'smoke', arms: ['erase'], overrides: { lr: 0.02, k: 3 }, fork };
    const spec = parseExperimentSpec(given);
    const { args, needs } = asCommand(spec);
    expect(args.join(' ')).toBe(
      '--from parent.json#none-41@2 --arms erase --seeds 41 --device auto --set k=3 --set klBeta=0',
    );
    expect(needs.join()).toContain('x/none/41');
    const { flags } = parseArgs(run.usage, args);
    expect(specOf(flags as never, null, undefined, { fork: spec.fork!, device: 'auto' })).toEqual(spec);
  });

  it('names the files that it needs, in the place of their hashes, and quotes what a shell would read', () => {
    const spec = parseExperimentSpec({
      preset: 'smoke',
      arms: ['erase'],
      overrides: { basisSource: 'file', basisFile: 'a'.repeat(64) },
    });
    const { args, needs } = asCommand(spec);
    expect(args.join(' ')).toMatch(/--basis basis\.safetensors/);
    expect(args.join(' ')).not.toContain('aaaa');
    expect(needs).toHaveLength(1);
    const { flags } = parseArgs(run.usage, args);
    expect(
      specOf(flags as unknown as Parameters<typeof specOf>[0], { basis: { sha256: 'a'.repeat(64), path: '' } }),
    ).toEqual(spec);
    expect(commandText({ args: ['--set', "x=a b'c"], needs: [] })).toBe(
      "npm run lab -- run --set 'x=a b'\\''c' --json run.json",
    );
    expect(pythonText('demo "x".zip')).toContain('zipfile.ZipFile("demo \\"x\\".zip")');
  });
});
