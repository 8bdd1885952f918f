// `npm run fuzz` gives damaged and hostile inputs to every reader of outside data (fuzz/). Each reader runs in its own process, so that one
// that hangs or runs out of memory is reported with the seed of the input.
//   npm run fuzz -- [--reader NAME[,NAME]] [--n 2000] [--seed 1]
// Reader and seed make an input again: npm run fuzz -- --reader NAME --seed S --n 1
import { fork } from 'node:child_process';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, say } from './terminal.mjs';

const USAGE = 'npm run fuzz -- [--reader NAME[,NAME]] [--n 2000] [--seed 1]';
export const HELP = `${USAGE}
Damaged and hostile inputs for every reader of outside data: each must give a result or a named error, in time and in little memory.
  --reader NAME   these readers alone; without it all, by name as they run
  --n N           inputs for each (2000)
  --seed S        the first input's seed (1); --seed S --n 1 makes an input again`;
/** A reader that needs longer for one input counts as hanging. */
const HANG_MS = 60_000;
/** MiB of V8's heap. A reader that needs more allocates whatever size a small input claims. */
const HEAP_MIB = 1024;

/** Parses the arguments. Throws Complaint for an unknown flag or value. */
export function parseFuzzArgs(args) {
  const options = { reader: null, n: 2000, seed: 1 };
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].replace(/^--/, '');
    const value = args[i + 1];
    if (!args[i].startsWith('--') || !Object.hasOwn(options, name) || value === undefined)
      throw new Complaint(`${args[i]} is not understood. ${USAGE}`);
    if (name === 'reader') options.reader = value.split(',');
    else if (/^\d{1,9}$/.test(value) && (name === 'seed' || Number(value) > 0)) options[name] = Number(value);
    else throw new Complaint(`--${name} ${value} is no whole number. ${USAGE}`);
  }
  return options;
}

export async function main(args) {
  const { reader, n, seed } = parseFuzzArgs(args);
  await ensureDependencies();
  const { bundleFuzz } = await import('./bundle.mjs');
  const bundle = await bundleFuzz();
  process.env.LAB_ROOT = at();
  const known = (await ask(process.execPath, [bundle, '--list'], HANG_MS))?.split('\n') ?? [];
  const unknown = (reader ?? []).filter((name) => !known.includes(name));
  if (unknown.length) throw new Complaint(`There is no reader ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  const names = reader ?? known;
  heading(`${n} inputs for each of ${names.length} readers, from seed ${seed}`);
  const bad = [];
  for (const name of names) if (!(await runReader(bundle, name, n, seed))) bad.push(name);
  if (bad.length === 0) {
    say('Every input gave a result or a named error, in time.');
    return 0;
  }
  say(`Faults in ${bad.join(', ')}. An input again: npm run fuzz -- --reader NAME --seed S --n 1`);
  return 1;
}

/** Resolves with true if the reader passed on every input. */
function runReader(bundle, name, n, seed) {
  return new Promise((resolve) => {
    const child = fork(bundle, [name, String(n), String(seed)], {
      cwd: at(),
      execArgv: ['--enable-source-maps', `--max-old-space-size=${HEAP_MIB}`],
    });
    let last = seed;
    let hangs = false;
    const watch = () =>
      setTimeout(() => {
        hangs = true;
        child.kill('SIGKILL');
      }, HANG_MS);
    let timer = watch();
    child.on('message', (message) => {
      last = message.seed;
      clearTimeout(timer);
      timer = watch();
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      if (hangs) say(`${name}: seed ${last} was not read in ${HANG_MS / 1000} s.`);
      else if (code !== 0 && code !== 1) say(`${name}: the process ended at seed ${last} (out of memory?).`);
      resolve(code === 0);
    });
  });
}
