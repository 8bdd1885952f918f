// `npm run bench` runs every benchmark of bench/, each in its own process; the tables go to the terminal and to bench/RESULTS.md.
// `npm run bench -- matmul step` runs some of them and leaves the file alone; with `--write` their tables replace those of the same title
// there (new ones are appended). `page` measures the built page in a browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, say } from './terminal.mjs';

const LIMIT_MINUTES = 45;
const LIMIT_MS = LIMIT_MINUTES * 60_000;
export const HELP = `npm run bench -- [NAME …] [--write]
Without names every benchmark of bench/, and bench/RESULTS.md is written anew.
  NAME      these alone, and the file is left as it is; page: the built page in a browser; estimates
            [PRESET …]: what the page says that a run takes, and what it takes
  --write   their tables take the place of those of the same title in the file`;

export async function main(given) {
  const args = given.filter((arg) => arg !== '--write');
  await ensureDependencies();
  if (args.includes('page')) {
    if (args.length > 1) throw new Complaint('`page` is measured alone.');
    return (await import('./page-speed.mjs')).pageSpeed();
  }
  if (args[0] === 'estimates') {
    const presets = args.length > 1 ? args.slice(1) : ['smoke', 'lesson', 'demo'];
    return (await import('./page-estimates.mjs')).pageEstimates(presets);
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
    if (output === null)
      throw new Complaint(`The benchmark ${name} failed or took more than ${LIMIT_MINUTES} minutes.`);
    for (const table of JSON.parse(output.split('\n').at(-1))) {
      const text = markdown(table);
      console.log(`\n${text}`);
      sections.push(text);
    }
  }
  if (args.length && args.length === given.length) return 0;
  const file = at('bench', 'RESULTS.md');
  const head = `# Benchmarks\n\nWritten by \`npm run bench\` on ${machine()}.`;
  writeFileSync(file, args.length ? replaced(readFileSync(file, 'utf8'), head, sections) : joined([head, ...sections]));
  say('\nWritten to bench/RESULTS.md.');
  return 0;
}

const joined = (parts) => `${parts.join('\n\n')}\n`;
const titleOf = (section) => section.split('\n', 1)[0];

/** Replaces the sections of `text` by those of the same title. Throws Complaint if the file was written on another machine. */
export function replaced(text, head, sections) {
  const [found, ...kept] = text.trimEnd().split(/\n\n(?=## )/);
  if (found !== head)
    throw new Complaint('bench/RESULTS.md was written on another machine: run `npm run bench` whole.');
  const fresh = new Map(sections.map((section) => [titleOf(section), section]));
  const parts = kept.map((section) => fresh.get(titleOf(section)) ?? section);
  const known = new Set(kept.map(titleOf));
  return joined([head, ...parts, ...sections.filter((section) => !known.has(titleOf(section)))]);
}

function markdown({ title, note, columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  // The first column names things, the others hold numbers.
  const ruler = line(columns.map((_, i) => (i === 0 ? '---' : '---:')));
  return [`## ${title}`, '', note, '', line(columns), ruler, ...rows.map(line)].join('\n');
}

/** Describes the machine that the numbers depend on, without its host name. */
function machine() {
  const model = cpus()[0]?.model.trim() || process.arch;
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${gib} GiB, Node ${process.versions.node}, ${process.platform}`;
}
