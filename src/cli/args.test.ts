// Flags: typed values, refusals that name the nearest known flag, help, and the resulting spec.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { nearest } from '@projected-grpo-lab/base/nearest.ts';
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../experiments/config/spec.ts';
import { helpText, integer, integers, list, number, oneOf, parseArgs, settings, text, toggle } from './args.ts';
import { specOf } from './run/flags.ts';

const usage = {
  name: 'try',
  summary: 'A command for tests.',
  positional: ['FILE'],
  flags: {
    preset: oneOf(['demo', 'smoke'], 'Preset.', 'demo'),
    arms: list(['none', 'erase'], 'Arms.'),
    seeds: integers('Seeds.'),
    steps: integer('Steps.', null, 1, 100),
    lr: number('Rate.', 0.5, 0, 1),
    out: text('DIR', 'Folder.', null),
    set: settings('Settings.'),
    json: toggle('JSON.'),
  },
} as const;
const parse = (...argv: string[]) => parseArgs(usage, argv);

it('a flag that was renamed is read by its old name too, but not by both', () => {
  const renamed = {
    name: 'try',
    summary: '',
    positional: [],
    flags: { environment: text('NAME', 'Where.', null) },
  } as const;
  for (const argv of [['--world', 'chain'], ['--world=chain'], ['--environment', 'chain']])
    expect(parseArgs(renamed, argv).flags).toEqual({ environment: 'chain' });
  expect(() => parseArgs(renamed, ['--world', 'chain', '--environment', 'lookup'])).toThrow(/given twice/);
  expect(() => parse('a.txt', '--world', 'chain')).toThrow(/Unknown flag --world/);
});

it('takes any number of the last argument if declared so', () => {
  const many = { name: 'try', summary: '', positional: ['DIR', '[DIR…]'], flags: {} } as const;
  for (const argv of [['a'], ['a', 'b', 'c', 'd']]) expect(parseArgs(many, argv).positional).toEqual(argv);
  expect(() => parseArgs(many, [])).toThrow(/takes DIR \[DIR…\], got none/);
  expect(() => parse('a.txt', 'b.txt')).toThrow(/takes FILE/);
});

describe('flags', () => {
  it('are typed, with values apart or after an equals sign', () => {
    const { flags, positional } = parse(
      'a.txt',
      '--arms',
      'none,erase',
      '--seeds=41,42',
      '--steps',
      '7',
      '--lr=1e-3',
      '--json',
    );
    expect(flags).toEqual({
      preset: 'demo',
      arms: ['none', 'erase'],
      seeds: [41, 42],
      steps: 7,
      lr: 0.001,
      out: null,
      set: {},
      json: true,
    });
    expect(positional).toEqual(['a.txt']);
  });

  it('gather repeated settings', () => {
    expect(parse('f', '--set', 'lr=0.1', '--set', 'note=a=b').flags.set).toEqual({ lr: '0.1', note: 'a=b' });
  });

  it.each([
    [['f', '--sedes', '1'], /Unknown flag --sedes; did you mean --seeds\?/],
    [['f', '--xyzzy'], /Unknown flag --xyzzy\./],
    [['f', '-s', '1'], /Unknown flag -s/],
    [['f', '--steps'], /--steps needs a value \(N\)/],
    [['f', '--steps', 'ten'], /--steps ten: a whole number/],
    [['f', '--steps', '0'], /--steps 0/],
    [['f', '--steps', '101'], /--steps 101/],
    [['f', '--preset', 'demos'], /--preset demos: demo\|smoke/],
    [['f', '--arms', 'none,nine'], /--arms none,nine/],
    [['f', '--seeds', '1,,2'], /whole numbers, separated by commas/],
    [['f', '--json=yes'], /--json takes no value/],
    [['f', '--steps', '1', '--steps', '2'], /given twice/],
    [[], /takes FILE, got none/],
    [['f', 'g'], /got f g/],
  ])('%j is refused', (argv, message) => {
    const attempt = () => parse(...argv);
    expect(attempt).toThrow(SpecError);
    expect(attempt).toThrow(message);
  });

  it('help wins over everything, and names each flag', () => {
    expect(parse('--help', '--nonsense').help).toBe(true);
    const help = helpText(usage);
    for (const name of Object.keys(usage.flags)) expect(help).toContain(`--${name}`);
    expect(help).toContain('Default: demo.');
  });

  it('suggests only similar names', () => {
    expect(nearest('stpes', ['steps', 'seeds'])).toBe('steps');
    expect(nearest('banana', ['steps', 'seeds'])).toBeNull();
  });
});

describe('flags of run', () => {
  const flags = { preset: 'smoke', arms: null, seeds: null, steps: null, set: {}, device: 'auto' } as const;

  it('make the spec that form and URL make', () => {
    const spec = specOf(
      { ...flags, arms: ['erase'], seeds: [1], steps: 2, set: { lr: '0.1', modes: 'sentinel,run_tests' } },
      null,
    );
    const overrides = { steps: 2, lr: 0.1, modes: ['sentinel', 'run_tests'] };
    expect(spec).toEqual(parseExperimentSpec({ preset: 'smoke', arms: ['erase'], seeds: [1], overrides }));
  });

  it('name the setting that is wrong', () => {
    expect(() => specOf({ ...flags, set: { stpes: '1' } }, null)).toThrow(/did you mean steps/);
    expect(() => specOf({ ...flags, set: { lr: 'fast' } }, null)).toThrow(SpecError);
    expect(() => specOf({ ...flags, set: { lr: '' } }, null)).toThrow(SpecError);
    expect(() => specOf({ ...flags, set: { preserveMagnitude: 'maybe' } }, null)).toThrow(SpecError);
  });
});
