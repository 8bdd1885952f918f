// The report of `npm run gpu`, in eight minutes: each part runs in its own process with a time limit; a part that fails or hangs is named, and the
// others continue. Writes report.json and report.md. It is bundled separately, so that `pack` can carry it to a machine without a network, where it
// needs only this file, Node, the package `webgpu` and the vendor's Vulkan driver.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BenchTable } from '../table.ts';
import { PARTS } from './parts.ts';

const MARK = '@@';
/** Maximum seconds of all parts together. */
const TOTAL = 470;

type Outcome = { name: string; seconds: number } & ({ tables: BenchTable[] } | { failed: string });

/** Runs one part in a child process, which is ended after `limit` seconds. */
function outcomeOf(name: string, limit: number, isTiny: boolean): Promise<Outcome> {
  const begun = performance.now();
  const self = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [self, '--part', name, ...(isTiny ? ['--tiny'] : [])], { stdio: 'pipe' });
  const said = { out: '', err: '' };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limit * 1000);
  child.stdout.on('data', (data) => {
    said.out += data;
  });
  child.stderr.on('data', (data) => {
    said.err = `${said.err}${data}`.slice(-4000);
    process.stderr.write(data);
  });
  return new Promise((resolve) => {
    const end = (why: string) => {
      clearTimeout(timer);
      const seconds = (performance.now() - begun) / 1000;
      const line = said.out.split('\n').find((text) => text.startsWith(MARK));
      if (line) resolve({ name, seconds, ...JSON.parse(line.slice(MARK.length)) });
      else
        resolve({
          name,
          seconds,
          failed: isLate ? `not done after ${Number(limit.toFixed(2))} s` : `${why} ${said.err.trim()}`.trim(),
        });
    };
    child.on('error', (error) => end(error.message));
    child.on('close', (code, signal) => end(`ended with ${signal ?? code}.`));
  });
}

function markdown(outcomes: readonly Outcome[], isTiny: boolean): string {
  const machine = `${cpus()[0]?.model.trim() ?? process.arch}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;
  const parts = [`# WebGPU on this machine${isTiny ? ' (rehearsal with tiny shapes)' : ''}`, machine];
  for (const outcome of outcomes) {
    const { name, seconds } = outcome;
    if ('failed' in outcome) {
      parts.push(`## ${name}: failed after ${seconds.toFixed(1)} s`, `\`\`\`\n${outcome.failed}\n\`\`\``);
      continue;
    }
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    for (const { title, note, columns, rows } of outcome.tables)
      parts.push(`## ${title}`, note, [columns, columns.map(() => '---'), ...rows].map(line).join('\n'));
  }
  const all = outcomes.reduce((sum, { seconds }) => sum + seconds, 0);
  parts.push(
    `Parts: ${outcomes.map((one) => `${one.name} ${one.seconds.toFixed(1)} s`).join(', ')}; together ${all.toFixed(1)} s.`,
  );
  return `${parts.join('\n\n')}\n`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      part: { type: 'string' },
      only: { type: 'string', multiple: true },
      tiny: { type: 'boolean', default: false },
      limit: { type: 'string' },
      total: { type: 'string' },
      out: { type: 'string', default: 'gpu-report' },
    },
  });
  const known = PARTS.map(({ name }) => name).join(', ');
  if (values.part !== undefined) {
    const part = PARTS.find(({ name }) => name === values.part);
    if (!part) throw new Error(`There is no part ${values.part}. Known: ${known}.`);
    const result = await part
      .run(values.tiny, (line) => console.error(`${part.name}: ${line}`))
      .then(
        (tables) => ({ tables }),
        (error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) }),
      );
    process.stdout.write(`${MARK}${JSON.stringify(result)}\n`);
    return;
  }
  const unknown = values.only?.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}. Known: ${known}.`);
  const seconds = (flag: 'limit' | 'total', otherwise: number) => {
    const given = values[flag] === undefined ? otherwise : Number(values[flag]);
    if (given > 0) return given;
    throw new Error(`--${flag} ${values[flag]}: a number of seconds above 0.`);
  };
  const [least, total] = [seconds('limit', Number.POSITIVE_INFINITY), seconds('total', TOTAL)];
  const begun = performance.now();
  const outcomes: Outcome[] = [];
  for (const part of PARTS) {
    const { name } = part;
    if (values.only && !values.only.includes(name)) continue;
    const left = total - (performance.now() - begun) / 1000;
    const limit = Math.min(part.limit, least, left);
    console.error(`── ${name}, at most ${Math.max(0, limit).toFixed(1)} s`);
    const outcome: Outcome =
      left > 0
        ? await outcomeOf(name, limit, values.tiny)
        : {
            name,
            seconds: 0,
            failed: `not begun: the ${total} s of all parts are over. Ask for it alone: --only ${name}`,
          };
    if ('failed' in outcome) console.error(`${name} failed: ${outcome.failed}`);
    outcomes.push(outcome);
    // The report is written after every part, so that earlier measurements survive a crash.
    mkdirSync(values.out, { recursive: true });
    writeFileSync(join(values.out, 'report.json'), `${JSON.stringify({ tiny: values.tiny, outcomes }, null, 2)}\n`);
    writeFileSync(join(values.out, 'report.md'), markdown(outcomes, values.tiny));
  }
  console.log(join(values.out, 'report.md'));
}

main().then(
  // Dawn would keep the process alive, so it exits explicitly.
  () => process.stdout.write('', () => process.exit(0)),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
