// The command line as a process: what goes where, and its exit codes.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

const lab = (...args) =>
  spawnSync(process.execPath, [at('scripts', 'lab.mjs'), ...args], { encoding: 'utf8', timeout: 110_000 });

describe('npm run lab', () => {
  it('lists its commands, and explains each', () => {
    const help = lab('--help');
    expect(help.status).toBe(0);
    for (const command of ['run', 'parity', 'devices', 'pretrain', 'grade']) {
      expect(help.stdout).toContain(command);
      const own = lab(command, '--help');
      expect(own.status).toBe(0);
      expect(own.stdout).toContain(`npm run lab -- ${command}`);
    }
  });

  it('answers wrong usage with a sentence on stderr and exit code 2', () => {
    const unknown = lab('rum');
    expect([unknown.status, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('did you mean run?');
    const flag = lab('run', '--preset', 'demo', '--stesp', '3');
    expect([flag.status, flag.stdout]).toEqual([2, '']);
    expect(flag.stderr).toContain('did you mean --steps?');
    expect(lab('run', '--set', 'k=99').status).toBe(2);
  });

  it('gives results on stdout alone, for machines too', () => {
    const devices = lab('devices', '--json');
    expect(devices.status).toBe(0);
    expect(JSON.parse(devices.stdout).devices[0]).toMatchObject({ choice: 'cpu', problem: null });
  });

  it.skipIf(process.platform !== 'linux')('ends with 1 and a sentence where a folder cannot be made', () => {
    const ended = lab('study', '--question', 'Q13', '--steps', '1', '--device', 'cpu', '--out', '/proc/none/study');
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/\/proc\/none\/study\/runs cannot be written: .*\(ENOENT\)\./);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('ends with 1 when something is missing', () => {
    const parity = lab('parity', at('docs'), '--device', 'cpu');
    expect(parity.status).toBe(1);
    expect(parity.stderr).toContain('no folder with expected.safetensors');
  });
});
