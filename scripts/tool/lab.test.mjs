// Tests the command line as a process: its outputs and exit codes. Printed texts are tested on the bundle itself, which starts in half the
// time; tests of exit codes and streams go through the script of `npm run lab`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { at } from './project.mjs';

const started = (script, args) =>
  spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    timeout: 110_000,
    env: { ...process.env, LAB_ROOT: at() },
  });
const lab = (...args) => started(at('scripts', 'lab.mjs'), args);
const bundle = await bundleCli();
const command = (...args) => started(bundle, args);
const help = lab('--help');

describe('npm run lab', () => {
  it('lists its commands, and explains each', () => {
    expect(help.status).toBe(0);
    for (const name of ['run', 'parity', 'devices', 'pretrain', 'grade']) {
      expect(help.stdout).toContain(name);
      const own = command(name, '--help');
      expect(own.status).toBe(0);
      expect(own.stdout).toContain(`npm run lab -- ${name}`);
    }
  });

  it('matches the docs’ reference of commands, each with all its flags', () => {
    const page = command('help', '--markdown').stdout;
    expect(readFileSync(at('docs', 'reference', 'commands.md'), 'utf8')).toBe(page);
    const names = [...help.stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) expect(page.split(`\n## ${name}\n`), name).toHaveLength(2);
  });

  it('matches the docs’ reference of schemas', () => {
    const page = command('help', '--schemas').stdout;
    expect(readFileSync(at('docs', 'reference', 'schemas.md'), 'utf8')).toBe(page);
    for (const field of ['`checks[].true(regex).pattern`', '`hack`', '`cinStudent`'])
      expect(page).toContain(`| ${field} |`);
  });

  it('matches the docs’ reference of model folders', () => {
    const page = command('help', '--models').stdout;
    expect(readFileSync(at('docs', 'reference', 'models.md'), 'utf8')).toBe(page);
    for (const row of ['| `rope_theta` | Base of', '| `is_causal` | `true`, absent |']) expect(page).toContain(row);
  });

  it('answers wrong usage with a sentence on stderr and exit code 2', () => {
    const unknown = lab('rum');
    expect([unknown.status, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('did you mean run?');
    const flag = command('run', '--preset', 'demo', '--stesp', '3');
    expect([flag.status, flag.stdout]).toEqual([2, '']);
    expect(flag.stderr).toContain('did you mean --steps?');
    expect(command('run', '--set', 'k=99').status).toBe(2);
  });

  it('prints results, and only those, to stdout', () => {
    const devices = lab('devices', '--json');
    expect(devices.status).toBe(0);
    expect(JSON.parse(devices.stdout).devices[0]).toMatchObject({ choice: 'cpu', problem: null });
  });

  it.skipIf(process.platform !== 'linux')('ends with 1 and a sentence where a folder cannot be made', () => {
    const ended = lab('run', '--set', 'steps=1', '--out', '/proc/none/run');
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/\/proc\/none\/run\S* cannot be written: .*\(ENOENT\)\./);
    // Only a stack of our own code counts, since a GPU's driver may print one too.
    expect(ended.stderr).not.toMatch(/\n\s+at .*\.m?[jt]s:/);
  });

  it('ends with 1 when something is missing', () => {
    const parity = lab('parity', at('docs'), '--device', 'cpu');
    expect(parity.status).toBe(1);
    expect(parity.stderr).toContain('no folder with expected.safetensors');
  });

  it('trains runs in parallel to the same bytes, stops them all with one Ctrl-C, and goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lab-jobs-'));
    try {
      const tiny = [
        'problems=4',
        'evalEvery=0',
        'finalEvalProblems=2',
        'pairs=4',
        'k=2',
        'maxNew=6',
        'checkpointEvery=1',
      ];
      const asked = ['run', '--preset', 'smoke', '--arms', 'route-update,erase-update', '--seeds', '41'];
      const settings = [...asked, ...tiny.flatMap((setting) => ['--set', setting]), '--device', 'cpu'];
      const args = (jobs, name) => [...settings, '--steps', '5', '--jobs', jobs, '--out', join(folder, name)];
      const result = ({ stdout, stderr, status }) => {
        expect([status, stderr]).toEqual([0, expect.any(String)]);
        const { runs, table, verdicts } = JSON.parse(stdout);
        return { table, verdicts, runs: runs.map(({ id, status, rows, evals }) => ({ id, status, rows, evals })) };
      };
      const one = result(lab(...args('1', 'one'), '--threads', '1', '--json', '-'));
      expect(one.runs.map(({ status }) => status)).toEqual(['done', 'done']);

      // A terminal's Ctrl-C reaches the whole group.
      const stopped = spawn(process.execPath, [at('scripts', 'lab.mjs'), ...args('2', 'two')], { detached: true });
      let output = '';
      stopped.stderr.on('data', (data) => {
        output += data;
      });
      const ended = new Promise((resolve) => void stopped.once('exit', resolve));
      while (!existsSync(join(folder, 'two', 'route-update-41.checkpoint')) && stopped.exitCode === null)
        await new Promise((resolve) => void setTimeout(resolve, 30));
      // Another experiment in the same folder would mix with this one.
      process.kill(-stopped.pid, 'SIGSTOP');
      const other = lab(...args('1', 'two').map((arg) => (arg === '41' ? '42' : arg)), '--json', '-');
      process.kill(-stopped.pid, 'SIGCONT');
      expect([other.status, other.stdout]).toEqual([1, '']);
      expect(other.stderr).toMatch(/two is in use: process \d+ on \S+ has been writing there since/);
      process.kill(-stopped.pid, 'SIGINT');
      expect(await ended).toBe(130);
      expect(output).toContain('2 runs are trained in parallel');
      expect(output).toMatch(
        /The same command goes on after (?:step \d of erase-update-41, )?step \d of route-update-41/,
      );
      const again = lab(...args('2', 'two'), '--json', '-');
      expect(again.stderr).toMatch(/going on after step \d/);
      expect(result(again)).toEqual(one);
      const listed = JSON.parse(readFileSync(join(folder, 'two', 'lab-files'), 'utf8')).wrote;
      expect(readdirSync(join(folder, 'two')).filter((name) => name !== 'lab-files' && !listed.includes(name))).toEqual(
        [],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
