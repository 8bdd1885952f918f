// `npm run bench`: every benchmark of bench/, each in a process of its own; the tables go to the terminal and to
// bench/RESULTS.md. `npm run bench -- matmul step` runs some of them, and leaves the file alone; `page` measures the built page in a browser.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, say } from './terminal.mjs';

const LIMIT_MS = 15 * 60_000;

export async function main(args) {
  await ensureDependencies();
  if (args.includes('page')) {
    if (args.length > 1) throw new Complaint('`page` is measured alone.');
    return (await import('./page-speed.mjs')).pageSpeed();
  }
  const { bundleBench } = await import('./bundle.mjs');
  const bundle = await bundleBench();
  process.env.LAB_ROOT = at();
  const known = (await ask(process.execPath, [bundle, '--list'], LIMIT_MS))?.split('\n') ?? [];
  const unknown = args.filter((name) => !known.includes(name));
  if (unknown.length) throw new Complaint(`There is no benchmark ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  const sections = [];
  for (const name of args.length ? args : known) {
    heading(name);
    const output = await ask(process.execPath, [bundle, name], LIMIT_MS, 'inherit');
    if (output === null) throw new Complaint(`The benchmark ${name} failed.`);
    for (const table of JSON.parse(output.split('\n').at(-1))) {
      const text = markdown(table);
      console.log(`\n${text}`);
      sections.push(text);
    }
  }
  if (args.length) return 0;
  writeFileSync(
    at('bench', 'RESULTS.md'),
    `# Benchmarks\n\nWritten by \`npm run bench\` on ${machine()}.\n\n${sections.join('\n\n')}\n`,
  );
  say('\nWritten to bench/RESULTS.md.');
  return 0;
}

function markdown({ title, note, columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  // The first column names things, the others are figures.
  const ruler = line(columns.map((_, i) => (i === 0 ? '---' : '---:')));
  return [`## ${title}`, '', note, '', line(columns), ruler, ...rows.map(line)].join('\n');
}

/** What the figures depend on; no host name. */
function machine() {
  const model = cpus()[0]?.model.trim() || process.arch;
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${gib} GiB, Node ${process.versions.node}, ${process.platform}`;
}
