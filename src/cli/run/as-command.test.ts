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
